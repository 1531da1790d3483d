/** One array of a rotation: a JavaScript array, copied in and out, or a Tensor, rotated where it is. */
import type { Core, Scratch } from "./core.js";
import { refusal } from "./errors.js";
import { ModuleTensor, type Numbers, type Tensor } from "./tensor.js";

export class Operand<T extends Numbers | Tensor> {
  /** In the module's memory; sizes in elements. */
  readonly address: number;
  readonly size: number;
  readonly outAddress: number;
  readonly outSize: number;
  readonly #out: T | undefined;

  /** `name` and `outName` are what the arguments are called. */
  constructor(scratch: Scratch, fn: string, name: string, x: T, outName: string, out: T | undefined) {
    if (x instanceof ModuleTensor) {
      const to = out === undefined ? x : out;
      if (!(to instanceof ModuleTensor)) throw new TypeError(refusal(fn, outName, out, `a Tensor, as \`${name}\` is`));
      this.address = x.addressFor(fn);
      this.size = x.size;
      this.outAddress = to.addressFor(fn);
      this.outSize = to.size;
      this.#out = to as T;
      return;
    }
    if (!(x instanceof Float32Array)) throw new TypeError(refusal(fn, name, x, "a Float32Array or a Tensor"));
    if (out !== undefined && !(out instanceof Float32Array)) {
      throw new TypeError(refusal(fn, outName, out, `a Float32Array, as \`${name}\` is`));
    }
    // The copy is rotated in place, so `out` may be x itself or overlap it.
    this.address = scratch.float32(name, x);
    this.size = x.length;
    this.outAddress = this.address;
    this.outSize = out === undefined ? x.length : out.length;
    this.#out = out;
  }

  /** What the caller gets, once the call has succeeded. */
  result(core: Core): T {
    const out = this.#out;
    if (out instanceof ModuleTensor) return out;
    const rotated = core.float32(this.outAddress, this.outSize);
    if (out === undefined) return rotated.slice() as Numbers as T;
    (out as Numbers).set(rotated);
    return out;
  }
}
