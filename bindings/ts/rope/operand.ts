/** One array of a call: a JavaScript array, copied in and out, or a Tensor, rotated where it is. */

import { kindOf, Source } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { refusal } from "../module/errors.js";
import type { Scratch } from "../module/scratch.js";
import { DTYPES, isFloat16Array, ModuleTensor, type Numbers, type Tensor } from "../module/tensor.js";

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
function typeOf(fn: string, name: string, x: unknown, dtype: unknown): number {
  const known = ModuleTensor.is(x) ? x.type : isFloat16Array(x) ? 1 : kindOf(x) === "Float32Array" ? 0 : -1;
  const patterns = known < 0 && kindOf(x) === "Uint16Array";
  if (known < 0 && !patterns) throw refusal("type", fn, name, x, KINDS);
  if (dtype === undefined && !patterns) return known;
  const given = DTYPES.indexOf(dtype as (typeof DTYPES)[number]);
  if (patterns ? given > 0 : given === known) return given;
  const allowed = patterns ? '"float16" or "bfloat16"' : `"${DTYPES[known]}"`;
  const code = dtype === undefined ? "type" : "range";
  throw refusal(code, fn, "dtype", dtype, `${allowed}, which \`${name}\` holds`);
}

/** An array that is read. To be made once all other arguments have been: from then on no code of the caller runs. */
export class Input {
  readonly type: number;
  /** In elements. */
  readonly size: number;
  readonly #name: string;
  readonly #from: ModuleTensor | Source;

  constructor(core: Core, fn: string, name: string, x: Numbers | Tensor, dtype: unknown) {
    this.type = typeOf(fn, name, x, dtype);
    this.#name = name;
    this.#from = ModuleTensor.is(x) ? x : new Source(core.native.wasmMemory, x);
    this.size = ModuleTensor.is(x) ? x.size : (this.#from as Source).length;
  }

  /** Where it is: in the tensor's own memory, or copied. */
  place(scratch: Scratch): number {
    const from = this.#from;
    return from instanceof Source ? scratch.elements(this.#name, from) : scratch.addressOf(this.#name, from);
  }
}

/** An array and where its result goes. */
export class ArrayOperand<T extends Numbers | Tensor> {
  /** Where the result is written, if that is an array. */
  readonly written: Source | undefined;
  readonly #input: Input;
  readonly #x: T;
  readonly #out: T | undefined;
  readonly #outName: string;

  /** `name` and `outName` are what the arguments are called. As an Input, to be made last. */
  constructor(core: Core, fn: string, name: string, x: T, outName: string, out: T | undefined, dtype: unknown) {
    this.#x = x;
    this.#outName = outName;
    this.#out = ModuleTensor.is(x) && out === undefined ? x : out;
    this.#input = new Input(core, fn, name, x, dtype);
    if (ModuleTensor.is(x)) {
      if (!ModuleTensor.is(this.#out)) throw refusal("type", fn, outName, out, `a Tensor, as \`${name}\` is`);
    } else if (out !== undefined) {
      const kind = isFloat16Array(x) ? "Float16Array" : kindOf(x);
      if ((isFloat16Array(out) ? "Float16Array" : kindOf(out)) !== kind) {
        throw refusal("type", fn, outName, out, `a ${kind}, as \`${name}\` is`);
      }
      this.written = new Source(core.native.wasmMemory, out);
    }
  }

  place(scratch: Scratch): PlacedArray<T> {
    const { type, size } = this.#input;
    const address = this.#input.place(scratch);
    const out = this.#out;
    if (ModuleTensor.is(out)) {
      const outAddress = scratch.addressOf(this.#outName, out);
      return new PlacedArray(this.#x, out, undefined, [address, size, type, outAddress, out.size, out.type]);
    }
    // The copy is rotated in place, so `out` may be x itself or overlap it.
    const outSize = this.written?.length ?? size;
    return new PlacedArray(this.#x, out, this.written, [address, size, type, address, outSize, type]);
  }
}

/** In the module's memory, until its scratch is freed. */
class PlacedArray<T extends Numbers | Tensor> implements Operand {
  readonly address: number;
  readonly size: number;
  readonly type: number;
  readonly outAddress: number;
  readonly outSize: number;
  readonly outType: number;
  readonly #x: T;
  readonly #out: T | undefined;
  readonly #written: Source | undefined;

  constructor(
    x: T,
    out: T | undefined,
    written: Source | undefined,
    places: readonly [number, number, number, number, number, number],
  ) {
    this.#x = x;
    this.#out = out;
    this.#written = written;
    [this.address, this.size, this.type, this.outAddress, this.outSize, this.outType] = places;
  }

  /** What the caller gets, once the call has succeeded. */
  result(core: Core): T {
    const out = this.#out;
    if (ModuleTensor.is(out)) return out;
    const rotated = core.elements(this.outAddress, this.outSize, this.type);
    if (out !== undefined) {
      this.#written!.view().set(rotated);
      return out;
    }
    const copy = rotated.slice();
    if (!isFloat16Array(this.#x)) return copy as Numbers as T;
    return new (this.#x.constructor as new (buffer: ArrayBuffer) => T)(copy.buffer);
  }
}
