/** Copies of JavaScript arrays inside the module, for the time of one call. */
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

  /** Where a Tensor is. Addresses mean something in their own module alone. */
  addressOf(name: string, tensor: ModuleTensor): number {
    if (tensor.core !== this.#core) throw new TypeError(refusal(this.#fn, name, tensor, "a Tensor of the same module"));
    return tensor.addressFor(this.#fn);
  }

  allocate(name: string, bytes: number): number {
    const address = this.#core.allocate(this.#fn, `a copy of \`${name}\``, bytes);
    if (this.#addresses === undefined) this.#addresses = [address];
    else this.#addresses.push(address);
    return address;
  }

  /** A copy of an array as it is: its elements are of the type already. */
  elements(name: string, values: Float32Array | Uint16Array, type: number): number {
    const address = this.allocate(name, values.byteLength);
    this.#core.elements(address, values.length, type).set(values);
    return address;
  }

  int32(name: string, values: ArrayLike<number>): number {
    const address = this.allocate(name, values.length * 4);
    this.#core.int32(address, values.length).set(values);
    return address;
  }

  float64(name: string, values: ArrayLike<number>): number {
    const address = this.allocate(name, values.length * 8);
    try {
      this.#core.float64(address, values.length).set(values);
    } catch (cause) {
      throw new TypeError(refusal(this.#fn, name, values, "an array of numbers"), { cause });
    }
    return address;
  }

  free(): void {
    if (this.#addresses === undefined) return;
    for (const address of this.#addresses) this.#core.free(address);
  }
}
