/** One instance of the module, with what every object in it needs: memory, the last failure, ownership. */
import { elementsAt } from "./elements.js";
import { camelCaseNames, errorOf, failure } from "./errors.js";
import { Owner } from "./handle.js";
import type { NativeMemory } from "./native.js";

/** For leak checks, and to see what a model takes. */
export interface MemoryStats {
  /** Objects not yet disposed. */
  handles: number;
  /** Bytes allocated for all of them. */
  heapBytes: number;
  /** Bytes of WebAssembly memory, which never shrinks: the most that has been needed. Workers have their own. */
  memoryBytes: number;
}

export class Core<Native extends NativeMemory = NativeMemory> {
  readonly native: Native;
  readonly owner = new Owner();

  constructor(native: Native) {
    this.native = native;
  }

  /** Objects not yet disposed, and bytes allocated. */
  stats(): MemoryStats {
    const heapBytes = this.native._ropewalk_heap_bytes();
    return { handles: this.owner.live, heapBytes, memoryBytes: this.native.wasmMemory.buffer.byteLength };
  }

  /** Memory in the module, in bytes; an Error when it cannot be had. `what` names it in the message. */
  allocate(fn: string, what: string, bytes: number): number {
    const address = this.native._ropewalk_allocate(bytes);
    if (address === 0)
      throw failure("out-of-memory", fn, `no memory for ${what}, ${bytes} bytes; the module can hold 2 GiB in all`);
    return address;
  }

  free(address: number): void {
    this.native._ropewalk_free(address);
  }

  // Views are made where they are used and dropped at once: growth of the memory detaches every older one.
  bytes(address: number, length: number): Uint8Array<ArrayBuffer> {
    return elementsAt(this.native, Uint8Array, address, length);
  }

  float32(address: number, length: number): Float32Array<ArrayBuffer> {
    return elementsAt(this.native, Float32Array, address, length);
  }

  float64(address: number, length: number): Float64Array<ArrayBuffer> {
    return elementsAt(this.native, Float64Array, address, length);
  }

  int32(address: number, length: number): Int32Array<ArrayBuffer> {
    return elementsAt(this.native, Int32Array, address, length);
  }

  /** Elements of a type: float32, or the patterns of a 16-bit one. */
  elements(address: number, length: number, type: number): Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> {
    if (type === 0) return this.float32(address, length);
    return elementsAt(this.native, Uint16Array, address, length);
  }

  /** The text that the module has just answered with. */
  text(): string {
    const { native } = this;
    const bytes = this.bytes(native._ropewalk_text_address(), native._ropewalk_text_size());
    // A copy, since browsers decode nothing out of a shared memory.
    const text = new TextDecoder().decode(bytes.slice());
    native._ropewalk_free_text();
    return text;
  }

  /** Calls with a text, which is in the module only while the call runs. `what` names it in messages. */
  withText<T>(fn: string, what: string, text: string, call: (address: number, size: number) => T): T {
    const bytes = new TextEncoder().encode(text);
    const address = this.allocate(fn, what, bytes.length);
    try {
      this.bytes(address, bytes.length).set(bytes);
      return call(address, bytes.length);
    } finally {
      this.free(address);
    }
  }

  /**
   * The error of the call that just failed, its arguments named as JavaScript names them unless `words` does otherwise.
   * `fn` is the function that the caller called, where C++ names another one.
   */
  failure(words = camelCaseNames, fn?: string): Error {
    this.native._ropewalk_error_data();
    return errorOf(this.native._ropewalk_error_code(), this.text(), words, fn);
  }

  /**
   * The same with every name as it is, for configurations and checkpoints, whose names are not ours. C++ names the reader
   * of a family or a format. `file` is the file's name, if it is known.
   */
  failureOfFile(fn: string, file?: string): Error {
    return this.failure((problem) => (file === undefined ? problem : `${file}: ${problem}`), fn);
  }
}
