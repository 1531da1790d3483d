/**
 * Threads for one call: workers that run a module of models in its own memory, so that all have one copy of the weights.
 * bindings/embind/threads.cpp divides the work; here the workers are started. Where that cannot be, one thread does all,
 * with the same bits.
 */
import type { NativeInt8 } from "./native.js";

export interface ThreadSource {
  requested: "auto" | number;
  /** The code that starts workers. */
  open(): Promise<ThreadStarter>;
}

export interface ThreadStarter {
  /** Resolves once the thread runs; `onEnd` is called when it has ended. */
  startThread(place: ThreadPlace, onEnd: () => void): Promise<void>;
  /** Processors that one call may use, as far as the host tells. */
  cores(): number;
}

/** The code that workers run, and its memory. */
export interface ThreadCode {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** relaxed.wasm, if models multiply by it. */
  relaxed: WebAssembly.Module | undefined;
}

/** Places in the memory and the table of the module for a thread, and its number. */
export interface ThreadPlace extends ThreadCode {
  stack: number;
  int8Stack: number;
  restore: number;
  serve: number;
  fail: number;
  thread: number;
}

/** Pages have shared memory only with the two headers that isolate them; Node always has it. */
export const canShare = ({ requested }: ThreadSource): boolean =>
  requested !== 1 && typeof SharedArrayBuffer === "function" && globalThis.crossOriginIsolated !== false;

/** Two processors both; of more, half, since two often share a core, and no more than the memory can feed. */
const countFor = (cores: number) => Math.min(cores, Math.max(2, Math.min(4, cores >> 1)));

/** Smaller models have no products that are worth dividing. */
const LEAST_PARAMETERS = 1e6;

/** In pages the thread that calls may not sleep. */
function maySleep(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
}

export class Threads {
  readonly #native: NativeInt8;
  readonly #code: ThreadCode | undefined;
  readonly #source: ThreadSource;
  readonly #running = new Set<number>();
  /** Threads of the operating system, which ropewalk-native has. */
  #own = 1;
  #isBegun = false;

  /** Without code there is one thread, or natively as many as the operating system gives. */
  constructor(native: NativeInt8, code: ThreadCode | undefined, source: ThreadSource) {
    this.#native = native;
    this.#code = code;
    this.#source = source;
  }

  /** With the one that calls. */
  get count(): number {
    return this.#running.size + this.#own;
  }

  /** Bytes that they have taken from the memory of the module, for as long as it lives. */
  get bytes(): number {
    return this.#code === undefined ? 0 : this.#native._ropewalk_thread_bytes();
  }

  /** Starts the workers for a model that has use for them. Nobody waits: until they run, one thread does all. */
  begin(parameters: number): void {
    const { requested } = this.#source;
    if (this.#isBegun || (requested === "auto" && parameters < LEAST_PARAMETERS)) return;
    this.#isBegun = true;
    // Without threads everything works as well.
    this.#startAll().catch(() => {});
  }

  async #startAll(): Promise<void> {
    const [native, code, { requested }] = [this.#native, this.#code, this.#source];
    if (code === undefined && native._ropewalk_use_threads === undefined) return;
    const starter = await this.#source.open();
    const count = requested === "auto" ? countFor(starter.cores()) : requested;
    if (code === undefined) {
      native._ropewalk_use_threads!(count);
      this.#own = count;
      return;
    }
    // The first alone, since it finds out from where workers can be started here.
    if (count > 1) await this.#start(1, code, starter);
    await Promise.all(Array.from({ length: Math.max(0, count - 2) }, (_, i) => this.#start(i + 2, code, starter)));
  }

  async #start(thread: number, code: ThreadCode, { startThread }: ThreadStarter): Promise<void> {
    const address = this.#native._ropewalk_thread(thread);
    if (address === 0) return;
    const [stack, int8Stack, restore, serve, fail] = new Uint32Array(code.memory.buffer, address, 5);
    const places = { stack: stack!, int8Stack: int8Stack!, restore: restore!, serve: serve!, fail: fail! };
    await startThread({ ...code, ...places, thread }, () => {
      this.#running.delete(thread);
      this.#lend();
    });
    this.#running.add(thread);
    this.#lend();
  }

  #lend(): void {
    this.#native._ropewalk_lend_threads(this.count, Number(maySleep()));
  }
}
