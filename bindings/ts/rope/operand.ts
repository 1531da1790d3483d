/** One array of a call: a JavaScript array, copied in and out, or a Tensor, rotated where it is. */

import { kindOf, Source } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { refusal } from "../module/errors.js";
import { DTYPES } from "../module/numbers.js";
import type { Scratch } from "../module/scratch.js";
import { isFloat16Array, ModuleTensor, type Numbers, type Tensor } from "../module/tensor.js";

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

  /** Its address: in the tensor's own memory, or of a copy. */
  place(scratch: Scratch): number {
    const from = this.#from;
    return from instanceof Source ? scratch.elements(this.#name, from) : scratch.addressOf(this.#name, from);
  }
}

/** An array and the place of its result. */
export class ArrayOperand<T extends Numbers | Tensor> implements Operand {
  /** The array that the result is written to, if it is one. */
  readonly written: Source | undefined;
  readonly type: number;
  readonly size: number;
  readonly outSize: number;
  readonly outType: number;
  // In the module's memory, from place() until its scratch is freed.
  address = 0;
  outAddress = 0;
  readonly #x: T;
  readonly #out: T | undefined;
  /** The source of an array's copy. A Tensor needs none: a call on one is mostly the making of objects. */
  readonly #input: Input | undefined;
  readonly #outName: string;
  readonly #name: string;

  /** `name` and `outName` are what the arguments are called. As an Input, to be made last. */
  constructor(core: Core, fn: string, name: string, x: T, outName: string, out: T | undefined, dtype: unknown) {
    this.#x = x;
    this.#name = name;
    this.#outName = outName;
    if (ModuleTensor.is(x)) {
      this.type = dtype === undefined ? x.type : typeOf(fn, name, x, dtype);
      const to = out === undefined ? x : out;
      if (!ModuleTensor.is(to)) throw refusal("type", fn, outName, out, `a Tensor, as \`${name}\` is`);
      this.size = x.size;
      this.outSize = to.size;
      this.outType = to.type;
      this.#out = to as T;
      return;
    }
    this.#out = out;
    this.#input = new Input(core, fn, name, x, dtype);
    if (out !== undefined) {
      const kind = isFloat16Array(x) ? "Float16Array" : kindOf(x);
      if ((isFloat16Array(out) ? "Float16Array" : kindOf(out)) !== kind) {
        throw refusal("type", fn, outName, out, `a ${kind}, as \`${name}\` is`);
      }
      this.written = new Source(core.native.wasmMemory, out);
    }
    this.type = this.outType = this.#input.type;
    this.size = this.#input.size;
    this.outSize = this.written?.length ?? this.size;
  }

  /** Brings the array into the module's memory, if it is not there. */
  place(scratch: Scratch): void {
    if (this.#input === undefined) {
      this.address = scratch.addressOf(this.#name, this.#x as ModuleTensor);
      this.outAddress =
        this.#out === this.#x ? this.address : scratch.addressOf(this.#outName, this.#out as ModuleTensor);
    } else {
      // The copy is rotated in place, so `out` may be x itself or overlap it.
      this.address = this.outAddress = this.#input.place(scratch);
    }
  }

  /** The result for the caller, once the call has succeeded. */
  result(core: Core): T {
    const out = this.#out;
    if (this.#input === undefined) return out!;
    const rotated = core.elements(this.outAddress, this.outSize, this.type);
    if (out !== undefined) {
      this.written!.view().set(rotated);
      return out;
    }
    const copy = rotated.slice();
    if (!isFloat16Array(this.#x)) return copy as Numbers as T;
    return new (this.#x.constructor as new (buffer: ArrayBuffer) => T)(copy.buffer);
  }
}
