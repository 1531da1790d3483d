/** Arrays inside the module: what is used again and again is rotated there without a copy. */
import { isNumeric, kindOf, numbersOf, Source, sizesListOf } from "./arrays.js";
import type { Core } from "./core.js";
import { failure, refusal } from "./errors.js";
import { Handle } from "./handle.js";
import { DTYPES } from "./numbers.js";

/** Element types. float16 is IEEE binary16, bfloat16 the upper half of a float32; arithmetic is in float32. */
export type DType = "float32" | "float16" | "bfloat16";

/** A Float16Array, by what makes it one, for libraries of types that do not know it yet. */
export interface Float16Numbers {
  readonly [Symbol.toStringTag]: "Float16Array";
  readonly length: number;
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  [index: number]: number;
}

/** Arrays that can be rotated. A Uint16Array holds the 16-bit patterns of float16 or bfloat16 numbers. */
export type Numbers = Float32Array | Uint16Array | Float16Numbers;

/** An engine's own, or 16-bit patterns that say they are one, for engines that have none. */
export function isFloat16Array(value: unknown): value is Float16Numbers {
  const kind = kindOf(value);
  return (
    kind === "Float16Array" ||
    ((kind === "Uint16Array" || kind === "Int16Array") &&
      (value as Float16Numbers)[Symbol.toStringTag] === "Float16Array")
  );
}

/** Memory inside the module: rotate it with no copy. */
export interface Tensor<D extends DType = DType> extends Disposable {
  readonly shape: readonly number[];
  readonly dtype: D;
  /**
   * The elements, row-major, 16-bit ones as their patterns: a view made fresh at each access, since growth of the
   * module's memory detaches older ones. Do not store it; `slice()` it to keep or to post it.
   */
  readonly data: D extends "float32" ? Float32Array : Uint16Array;
  /** Frees the memory. Doing so again has no effect; using the tensor afterwards is an Error. */
  dispose(): void;
}

export class ModuleTensor<D extends DType = DType> extends Handle implements Tensor<D> {
  /** A Proxy of one is none: asking it would run code of the caller. */
  static is(value: unknown): value is ModuleTensor {
    return typeof value === "object" && value !== null && #made in value;
  }

  readonly #made = true;
  readonly core: Core;
  readonly shape: readonly number[];
  readonly dtype: D;
  /** Place in DTYPES. */
  readonly type: number;
  /** Product of the shape. */
  readonly size: number;

  constructor(core: Core, address: number, shape: readonly number[], size: number, dtype: D) {
    super(core.owner, "tensor", () => core.free(address), address);
    this.core = core;
    this.shape = shape;
    this.size = size;
    this.dtype = dtype;
    this.type = DTYPES.indexOf(dtype);
  }

  get data(): Tensor<D>["data"] {
    return this.core.elements(this.addressFor("data"), this.size, this.type) as Tensor<D>["data"];
  }
}

/** Numbers for a float32 tensor; for the others the patterns, since what is to be rounded is for the caller to say. */
function sourceOf(core: Core, fn: string, data: unknown, dtype: DType): Source {
  const { wasmMemory } = core.native;
  if (dtype === "float32") {
    const isCopied = !isNumeric(data) || kindOf(data) === "Float16Array";
    return new Source(wasmMemory, isCopied ? numbersOf(fn, "data", data) : data);
  }
  if (kindOf(data) === "Uint16Array" || (dtype === "float16" && isFloat16Array(data)))
    return new Source(wasmMemory, data);
  const or = dtype === "float16" ? ", or a Float16Array" : "";
  throw refusal("type", fn, "data", data, `a Uint16Array of the patterns of ${dtype}${or}`);
}

export function makeTensor<D extends DType>(
  core: Core,
  shape: readonly number[],
  data: ArrayLike<number> | undefined,
  dtype: D,
): Tensor<D> {
  const fn = "tensor";
  const type = DTYPES.indexOf(dtype);
  if (type < 0) throw refusal("range", fn, "dtype", dtype, '"float32", "float16" or "bfloat16"');
  const sizes = sizesListOf(fn, "shape", shape);
  const size = sizes.reduce((product, each) => product * each, 1);
  const values = data === undefined ? undefined : sourceOf(core, fn, data, dtype);
  if (values !== undefined && values.length !== size) {
    throw failure(
      "range",
      fn,
      `\`data\` is an array of ${values.length} numbers; allowed: ${size}, as \`shape\` [${sizes.join(", ")}] says`,
    );
  }
  const address = core.allocate(fn, `a tensor of shape [${sizes.join(", ")}]`, size * (type === 0 ? 4 : 2));
  const tensor = new ModuleTensor(core, address, Object.freeze(sizes), size, dtype);
  if (values === undefined) tensor.data.fill(0);
  else tensor.data.set(values.view());
  return tensor;
}
