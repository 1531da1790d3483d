/** What `load()` gives: one instance of the module, and the makers of everything in it. */
import type { Loaded } from "./loaded.js";
import type { RoFormer, RoFormerSource } from "./model/roformer.js";
import type { Once } from "./module/once.js";
import type { LoadProgress } from "./module/receive.js";
import { type DType, makeTensor, type Tensor } from "./module/tensor.js";
import type { ParallelModels, ParallelOptions, ParallelRoFormer } from "./parallel/roformer.js";
import { ModuleRope, type Rope, type RopeOptions } from "./rope/rope.js";
import type { Models } from "./train/open.js";
import type { Task, TaskOptions } from "./train/task.js";
import type { Trainer, TrainerOptions } from "./train/trainer.js";

export interface Ropewalk {
  readonly version: string;
  readonly variant: "simd";
  /**
   * A rotary position embedding: frequencies and pairing of one attention layer, which rotates queries and keys by their
   * positions. It holds its frequencies in the module's memory until `dispose()`.
   *
   * @param options `headDim` is the only one without a default; see {@link RopeOptions}.
   * @throws RangeError or TypeError that names the option, its value and what is allowed.
   * @example
   * using rope = ropewalk.rope({ headDim: 128, frequencies: { type: "default", base: 500000 } });
   */
  rope(options: RopeOptions): Rope;
  /**
   * A tensor of the shape, row-major, with the data or zeros; 'float32' unless `dtype` is given. 16-bit data is a
   * Uint16Array of patterns, or a Float16Array. @throws Error when the memory cannot be had.
   */
  tensor(shape: readonly number[], data?: ArrayLike<number>): Tensor<"float32">;
  tensor<D extends DType>(shape: readonly number[], data: ArrayLike<number> | undefined, dtype: D): Tensor<D>;
  /** A RoFormer from its checkpoint. The first one loads the code that only models need. */
  roformer(source: RoFormerSource, options?: LoadProgress & { workers?: undefined }): Promise<RoFormer>;
  /**
   * With `workers`, the same in so many workers of a page, or threads of Node: for lists of texts and large batches, and
   * for pages that must not wait. It answers by promises.
   */
  roformer(source: RoFormerSource, options: ParallelOptions): Promise<ParallelRoFormer>;
  /** Trains a RoFormer: from the seed, or from weights. Like the first model, the first trainer loads the code. */
  trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer>;
  /** Batches of a training task, from a seed: order, copy, period, ... Like the first model, the first loads the code. */
  task(options?: TaskOptions): Promise<Task>;
  /** Objects not yet disposed, and bytes allocated for all of them: for leak checks. */
  stats(): { handles: number; heapBytes: number };
}

/** What is loaded when it is first asked for. */
export interface LazyParts {
  models: Once<Models>;
  parallel: Once<ParallelModels>;
}

export class ModuleRopewalk implements Ropewalk {
  readonly #loaded: Loaded;
  readonly #lazy: LazyParts;
  readonly version: string;
  readonly variant = "simd";

  constructor(loaded: Loaded, lazy: LazyParts) {
    this.#loaded = loaded;
    this.#lazy = lazy;
    loaded.core.native._ropewalk_version();
    this.version = loaded.core.text();
  }

  rope(options: RopeOptions): Rope {
    return new ModuleRope(this.#loaded, options);
  }

  tensor(shape: readonly number[], data?: ArrayLike<number>): Tensor<"float32">;
  tensor<D extends DType>(shape: readonly number[], data: ArrayLike<number> | undefined, dtype: D): Tensor<D>;
  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype: DType = "float32"): Tensor {
    return makeTensor(this.#loaded.core, shape, data, dtype);
  }

  roformer(source: RoFormerSource, options?: LoadProgress & { workers?: undefined }): Promise<RoFormer>;
  roformer(source: RoFormerSource, options: ParallelOptions): Promise<ParallelRoFormer>;
  async roformer(
    source: RoFormerSource,
    options?: LoadProgress & { workers?: number | undefined },
  ): Promise<RoFormer | ParallelRoFormer> {
    const workers = options?.workers;
    if (workers === undefined) return (await this.#lazy.models()).roformer(source, options);
    return (await this.#lazy.parallel()).roformer(source, { ...options, workers });
  }

  async trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer> {
    return (await this.#lazy.models()).trainer(options, progress);
  }

  async task(options?: TaskOptions): Promise<Task> {
    return (await this.#lazy.models()).task(options);
  }

  stats(): { handles: number; heapBytes: number } {
    const { core, analysis } = this.#loaded;
    const { models, parallel } = this.#lazy;
    const all = [core, analysis, models.value, parallel.value].flatMap((part) => part?.stats() ?? []);
    return {
      handles: all.reduce((sum, { handles }) => sum + handles, 0),
      heapBytes: all.reduce((sum, { heapBytes }) => sum + heapBytes, 0),
    };
  }
}
