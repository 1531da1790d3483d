/** Copies of JavaScript arrays inside the module, for the time of one call. */
import type { Source } from "./arrays.js";
import type { Core } from "./core.js";
import { refusal } from "./errors.js";
import type { ModuleTensor } from "./tensor.js";

export class Scratch {
  readonly #core: Core;
  readonly #fn: string;
  #addresses: number[] | undefined;

  constructor(core: Core, fn: string) {
    this.#core = core;
    this.#fn = fn;
  }

  /** Address of a Tensor. An address means something in its own module alone. */
  addressOf(name: string, tensor: ModuleTensor): number {
    if (tensor.core !== this.#core) throw refusal("type", this.#fn, name, tensor, "a Tensor of the same module");
    return tensor.addressFor(this.#fn);
  }

  allocate(name: string, bytes: number): number {
    const address = this.#core.allocate(this.#fn, `a copy of \`${name}\``, bytes);
    if (this.#addresses === undefined) this.#addresses = [address];
    else this.#addresses.push(address);
    return address;
  }

  /** A copy of an array as it is. */
  elements(name: string, source: Source): number {
    const bytes = source.length * source.bytesPerElement;
    const address = this.allocate(name, bytes);
    // The view of the source is made last, since the allocation may have detached an older one.
    const { buffer, byteOffset } = source.view();
    this.#core.bytes(address, bytes).set(new Uint8Array(buffer, byteOffset, bytes));
    return address;
  }

  int32(name: string, values: Int32Array | readonly number[]): number {
    const address = this.allocate(name, values.length * 4);
    this.#core.int32(address, values.length).set(values);
    return address;
  }

  float32(name: string, values: Float64Array): number {
    const address = this.allocate(name, values.length * 4);
    this.#core.float32(address, values.length).set(values);
    return address;
  }

  float64(name: string, values: Float64Array): number {
    const address = this.allocate(name, values.length * 8);
    this.#core.float64(address, values.length).set(values);
    return address;
  }

  /** Blocks of float64 values in the order of their names, which numbers.ts has. */
  block<Name extends string>(names: readonly Name[], ...blocks: Readonly<Record<Name, number>>[]): number {
    return this.float64("options", Float64Array.from(blocks.flatMap((block) => names.map((name) => block[name]))));
  }

  free(): void {
    if (this.#addresses === undefined) return;
    for (const address of this.#addresses) this.#core.free(address);
  }
}
