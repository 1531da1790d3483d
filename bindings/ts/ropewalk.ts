/** What `load()` gives: one instance of the module, and the makers of everything in it. */
import type { Core } from "./core.js";
import { type LoadProgress, loadRoFormer, type RoFormer, type RoFormerSource } from "./roformer.js";
import { ModuleRope, type Rope, type RopeOptions } from "./rope.js";
import { type DType, makeTensor, type Tensor } from "./tensor.js";

export interface Ropewalk {
  readonly version: string;
  readonly variant: "simd";
  /** @throws RangeError or TypeError that names the option, its value and what is allowed. */
  rope(options: RopeOptions): Rope;
  /** A tensor of the shape, row-major, with the data or zeros. @throws Error when the memory cannot be had. */
  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype?: DType): Tensor;
  /** A RoFormer from its checkpoint; see {@link RoFormerSource}. Rejects as soon as `signal` is aborted. */
  roformer(source: RoFormerSource, options?: LoadProgress): Promise<RoFormer>;
  /** Objects not yet disposed, and bytes allocated in the module: for leak checks. */
  stats(): { handles: number; heapBytes: number };
}

export class ModuleRopewalk implements Ropewalk {
  readonly #core: Core;
  readonly version: string;
  readonly variant = "simd";

  constructor(core: Core) {
    this.#core = core;
    this.version = core.native.version();
  }

  rope(options: RopeOptions): Rope {
    return new ModuleRope(this.#core, options);
  }

  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype?: DType): Tensor {
    return makeTensor(this.#core, shape, data, dtype);
  }

  roformer(source: RoFormerSource, options?: LoadProgress): Promise<RoFormer> {
    return loadRoFormer(this.#core, source, options);
  }

  stats(): { handles: number; heapBytes: number } {
    return { handles: this.#core.owner.live, heapBytes: this.#core.native.heapBytes() };
  }
}
