/** One array of a call: a JavaScript array, copied in and out, or a Tensor, rotated where it is. */
import type { Core } from "../module/core.js";
import { refusal } from "../module/errors.js";
import type { Scratch } from "../module/scratch.js";
import { DTYPES, isFloat16Array, ModuleTensor, type Numbers, patternsOf, type Tensor } from "../module/tensor.js";

/** In the module's memory: sizes in elements, types by their places in DTYPES. */
export interface Operand {
  readonly address: number;
  readonly size: number;
  readonly type: number;
  readonly outAddress: number;
  readonly outSize: number;
  readonly outType: number;
}

const KINDS = "a Float32Array, a Uint16Array, a Float16Array or a Tensor";

/** The element type, which `dtype` has to say of a Uint16Array and may repeat of the others. */
export function typeOf(fn: string, name: string, x: unknown, dtype: unknown): number {
  const tensor = x instanceof ModuleTensor;
  const patterns = !tensor && x instanceof Uint16Array;
  const known = tensor ? x.type : x instanceof Float32Array ? 0 : isFloat16Array(x) ? 1 : -1;
  if (known < 0 && !patterns) throw new TypeError(refusal(fn, name, x, KINDS));
  if (dtype === undefined && !patterns) return known;
  const given = DTYPES.indexOf(dtype as (typeof DTYPES)[number]);
  if (patterns ? given > 0 : given === known) return given;
  const allowed = patterns ? '"float16" or "bfloat16"' : `"${DTYPES[known]}"`;
  const type = dtype === undefined ? TypeError : RangeError;
  throw new type(refusal(fn, "dtype", dtype, `${allowed}, which \`${name}\` holds`));
}

/** An array that is read: its address, and its size. */
export function inputOf(scratch: Scratch, name: string, x: Numbers | Tensor, type: number): [number, number] {
  if (x instanceof ModuleTensor) return [scratch.addressOf(name, x), x.size];
  const values = patternsOf(x as Numbers);
  return [scratch.elements(name, values, type), values.length];
}

/** An array and where its result goes. */
export class ArrayOperand<T extends Numbers | Tensor> implements Operand {
  readonly address: number;
  readonly size: number;
  readonly type: number;
  readonly outAddress: number;
  readonly outSize: number;
  readonly outType: number;
  readonly #x: T;
  readonly #out: T | undefined;

  /** `name` and `outName` are what the arguments are called. */
  constructor(scratch: Scratch, fn: string, name: string, x: T, outName: string, out: T | undefined, dtype: unknown) {
    this.#x = x;
    if (x instanceof ModuleTensor) {
      this.type = dtype === undefined ? x.type : typeOf(fn, name, x, dtype);
      const to = out === undefined ? x : out;
      if (!(to instanceof ModuleTensor)) throw new TypeError(refusal(fn, outName, out, `a Tensor, as \`${name}\` is`));
      this.address = scratch.addressOf(name, x);
      this.size = x.size;
      this.outAddress = scratch.addressOf(outName, to);
      this.outSize = to.size;
      this.outType = to.type;
      this.#out = to as T;
      return;
    }
    this.type = typeOf(fn, name, x, dtype);
    if (out !== undefined && kindOf(out) !== kindOf(x)) {
      throw new TypeError(refusal(fn, outName, out, `a ${kindOf(x)}, as \`${name}\` is`));
    }
    [this.address, this.size] = inputOf(scratch, name, x, this.type);
    // The copy is rotated in place, so `out` may be x itself or overlap it.
    this.outAddress = this.address;
    this.outSize = out === undefined ? this.size : (out as Numbers).length;
    this.outType = this.type;
    this.#out = out;
  }

  /** What the caller gets, once the call has succeeded. */
  result(core: Core): T {
    const out = this.#out;
    if (out instanceof ModuleTensor) return out;
    const rotated = core.elements(this.outAddress, this.outSize, this.type);
    if (out !== undefined) {
      patternsOf(out as Numbers).set(rotated);
      return out;
    }
    const copy = rotated.slice();
    if (!isFloat16Array(this.#x)) return copy as Numbers as T;
    return new (this.#x.constructor as new (buffer: ArrayBuffer) => T)(copy.buffer);
  }
}

/** "Float32Array" and so on. */
const kindOf = (x: unknown): string | undefined =>
  ArrayBuffer.isView(x) ? (x as Uint8Array)[Symbol.toStringTag] : undefined;
