/** Arrays inside the module: what is used again and again is rotated there without a copy. */
import type { Core } from "./core.js";
import { checkArrayLike, refusal, wholeNumber } from "./errors.js";
import { Handle } from "./handle.js";

/** Element types of tensors. */
export type DType = "float32";

/** Arrays that can be rotated. */
export type Numbers = Float32Array;

/** Memory inside the module: rotate it with no copy. */
export interface Tensor extends Disposable {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /**
   * The elements, row-major: a view made fresh at each access, since growth of the module's memory detaches older
   * ones. Do not store it; `slice()` it to keep or to post it.
   */
  readonly data: Numbers;
  /** Frees the memory. Doing so again has no effect; using the tensor afterwards is an Error. */
  dispose(): void;
}

export class ModuleTensor extends Handle implements Tensor {
  readonly #core: Core;
  readonly shape: readonly number[];
  readonly dtype: DType = "float32";
  /** Product of the shape. */
  readonly size: number;

  constructor(core: Core, address: number, shape: readonly number[], size: number) {
    super(core.owner, "tensor", address, () => core.free(address));
    this.#core = core;
    this.shape = shape;
    this.size = size;
  }

  get data(): Numbers {
    return this.#core.float32(this.addressFor("data"), this.size);
  }
}

export function makeTensor(core: Core, shape: readonly number[], data?: ArrayLike<number>, dtype?: DType): Tensor {
  const fn = "tensor";
  if (dtype !== undefined && dtype !== "float32") throw new RangeError(refusal(fn, "dtype", dtype, '"float32"'));
  checkArrayLike(fn, "shape", shape);
  const sizes = Array.from(shape, (size, i) => wholeNumber(fn, `shape[${i}]`, size));
  const size = sizes.reduce((product, each) => product * each, 1);
  if (data !== undefined) {
    checkArrayLike(fn, "data", data);
    if (data.length !== size) {
      throw new RangeError(
        `${fn}: \`data\` is an array of ${data.length} numbers; allowed: ${size}, as \`shape\` [${sizes.join(", ")}] says`,
      );
    }
  }
  const address = core.allocate(fn, `a tensor of shape [${sizes.join(", ")}]`, size * 4);
  const tensor = new ModuleTensor(core, address, Object.freeze(sizes), size);
  try {
    if (data === undefined) tensor.data.fill(0);
    else tensor.data.set(data);
  } catch (cause) {
    tensor.dispose();
    throw new TypeError(refusal(fn, "data", data, "an array of numbers"), { cause });
  }
  return tensor;
}
