/** The object that `load()` gives: one instance of the module, and the makers of everything in it. */

import groups from "ropewalk:families";
import type { Loaded } from "./loaded.js";

import type { Decoders } from "./model/decoder/open.js";
import type { Decoder, DecoderOptions } from "./model/decoder/surface.js";
import type { Family } from "./model/families.js";
import type { ModelFiles } from "./model/files/model-files.js";
import type { ModelSize } from "./model/files/stream-weights.js";
import type { Models } from "./model/open.js";
import type { ModelOptions, RoFormerSource } from "./model/read-encoder.js";
import type { Encoder, ParallelEncoder } from "./model/text/encoder-base.js";
import type { MemoryStats } from "./module/core.js";
import type { Variant } from "./module/int8.js";
import type { Once } from "./module/once.js";
import type { LoadProgress } from "./module/receive.js";
import { type DType, makeTensor, type Tensor } from "./module/tensor.js";
import type { ParallelModelOptions, ParallelModels } from "./parallel/encoder.js";
import { ModuleRope, type Rope, type RopeOptions } from "./rope/rope.js";
import type { Training } from "./train/open.js";
import type { TaskOptions } from "./train/options.js";
import type { Task } from "./train/task.js";
import type { Trainer, TrainerOptions } from "./train/trainer.js";

export interface Ropewalk {
  readonly version: string;
  /** How models in int8 multiply, of those that have been loaded: see {@link LoadOptions.variant}. 'simd' before the first. */
  readonly variant: Variant;
  /** Threads that one call of an encoder or a decoder has by now, with the one that calls: see {@link LoadOptions.threads}. */
  readonly threads: number;
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
  /**
   * Loads an encoder of any family in `families()`: a model that turns text into vectors, relevance, classes or words. The
   * first encoder loads the code that only encoders need.
   *
   * @param files a folder or a path in Node, a URL, `hubFiles("owner/name")`, files by name, or Files of a visitor.
   * @throws RangeError or TypeError, as a rejection, for files that are missing, malformed or ask for something that is
   *   not done; the error carries `ErrorDetails`.
   * @example
   * using model = await ropewalk.encoder("models/all-MiniLM-L6-v2");
   * const [a, b] = await model.embed(["a sailor ties a rope", "someone fastens a line"]);
   */
  encoder(files: ModelFiles, options?: ModelOptions & { workers?: undefined }): Promise<Encoder>;
  /**
   * With `workers`, the same in so many workers of a page, or threads of Node: for lists of texts and large batches, and
   * for pages that must not wait.
   */
  encoder(files: ModelFiles, options: ParallelModelOptions): Promise<ParallelEncoder>;
  /** The same kind of object from a config.json, weights and a tokenizer that are given one by one. */
  roformer(source: RoFormerSource, options?: LoadProgress & { workers?: undefined }): Promise<Encoder>;
  roformer(source: RoFormerSource, options: LoadProgress & { workers: number }): Promise<ParallelEncoder>;
  /**
   * Loads a causal decoder: Llama, Qwen, SmolLM, Gemma, GPT-NeoX, Phi, or a GGUF file of llama or qwen2. The first decoder
   * loads the code that only decoders need. Run it in a worker of your own to keep a page free.
   *
   * @throws as `encoder`.
   * @example
   * using model = await ropewalk.decoder("models/SmolLM2-135M", { precision: "int8" });
   * for await (const { text } of model.generate("Once upon a time", { maxTokens: 50 })) process.stdout.write(text);
   */
  decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder>;
  /**
   * Computes what `encoder` or `decoder` will need, from the configuration and the header of the weights alone. A Response
   * can be read once only: give a function that makes one for each request.
   */
  modelSize(files: ModelFiles, options?: DecoderOptions): Promise<ModelSize>;
  /** Families that can be loaded. */
  families(): readonly Family[];
  /**
   * Trains a model: from the seed, or from weights. The first trainer or task loads the code that only training needs,
   * about as much as models need.
   */
  trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer>;
  /** Batches of a training task, from a seed: order, copy, period, ... Loads what the first trainer loads. */
  task(options?: TaskOptions): Promise<Task>;
  /** Objects, and bytes of memory: for leak checks, and to see what a model takes. */
  stats(): MemoryStats;
}

/** The parts that are loaded when they are first asked for. */
export interface LazyParts {
  models: Once<Models>;
  decoders: Once<Decoders>;
  training: Once<Training>;
  parallel: Once<ParallelModels>;
}

export class ModuleRopewalk implements Ropewalk {
  readonly #loaded: Loaded;
  readonly #lazy: LazyParts;
  readonly version: string;

  constructor(loaded: Loaded, lazy: LazyParts) {
    this.#loaded = loaded;
    this.#lazy = lazy;
    loaded.core.native._ropewalk_version();
    this.version = loaded.core.text();
  }

  get variant(): Variant {
    const { models, decoders, parallel } = this.#lazy;
    return [models, decoders, parallel].some(({ value }) => value?.variant === "relaxed") ? "relaxed" : "simd";
  }

  get threads(): number {
    const { models, decoders } = this.#lazy;
    return Math.max(models.value?.threads ?? 1, decoders.value?.threads ?? 1);
  }

  rope(options: RopeOptions): Rope {
    return new ModuleRope(this.#loaded, options);
  }

  tensor(shape: readonly number[], data?: ArrayLike<number>): Tensor<"float32">;
  tensor<D extends DType>(shape: readonly number[], data: ArrayLike<number> | undefined, dtype: D): Tensor<D>;
  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype: DType = "float32"): Tensor {
    return makeTensor(this.#loaded.core, shape, data, dtype);
  }

  encoder(files: ModelFiles, options?: ModelOptions & { workers?: undefined }): Promise<Encoder>;
  encoder(files: ModelFiles, options: ParallelModelOptions): Promise<ParallelEncoder>;
  async encoder(files: ModelFiles, options?: ModelOptions & { workers?: number | undefined }): Promise<never> {
    return this.#model("encoder", files, options);
  }

  roformer(source: RoFormerSource, options?: LoadProgress & { workers?: undefined }): Promise<Encoder>;
  roformer(source: RoFormerSource, options: LoadProgress & { workers: number }): Promise<ParallelEncoder>;
  async roformer(source: RoFormerSource, options?: LoadProgress & { workers?: number | undefined }): Promise<never> {
    return this.#model("roformer", source, options);
  }

  /** In this thread, or in workers; the overloads above say which. */
  async #model(
    maker: "encoder" | "roformer",
    source: unknown,
    options?: { workers?: number | undefined },
  ): Promise<never> {
    const { models, parallel } = this.#lazy;
    const part = await (options?.workers === undefined ? models() : parallel());
    return part[maker](source as never, options as never) as Promise<never>;
  }

  async decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder> {
    return (await this.#lazy.decoders()).decoder(files, options);
  }

  async modelSize(files: ModelFiles, options?: DecoderOptions): Promise<ModelSize> {
    const { models, decoders } = this.#lazy;
    // If decoders alone are in use, the code of encoders is not loaded for one of them.
    if (models.value === undefined && decoders.value !== undefined)
      return decoders.value.modelSize(files, options, models);
    return (await models()).modelSize(files, options, decoders);
  }

  families(): readonly Family[] {
    return groups.flatMap(([names, common]) => names.map((modelType) => ({ modelType, ...common })));
  }

  async trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer> {
    return (await this.#lazy.training()).trainer(options, progress);
  }

  async task(options?: TaskOptions): Promise<Task> {
    return (await this.#lazy.training()).task(options);
  }

  stats(): MemoryStats {
    const { core, analysis } = this.#loaded;
    const all = [core, analysis, ...Object.values(this.#lazy).map(({ value }) => value)].flatMap(
      (part) => part?.stats() ?? [],
    );
    const sum = (of: keyof MemoryStats) => all.reduce((total, each) => total + each[of], 0);
    return { handles: sum("handles"), heapBytes: sum("heapBytes"), memoryBytes: sum("memoryBytes") };
  }
}
