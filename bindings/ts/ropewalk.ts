/** The object that `load()` gives: one instance of the module, and the makers of everything in it. */

import groups from "ropewalk:families";
import type { Loaded } from "./loaded.js";

import type { Decoders } from "./model/decoder/open.js";
import type { Decoder, DecoderOptions } from "./model/decoder/surface.js";
import type { Family } from "./model/families.js";
import type { ModelFiles } from "./model/files/model-files.js";
import type { ModelSize } from "./model/files/stream-weights.js";
import type { Models } from "./model/open.js";
import type { EncoderOptions } from "./model/read-encoder.js";
import type { Encoder, ParallelEncoder } from "./model/text/encoder-base.js";
import type { MemoryStats } from "./module/core.js";
import type { ErrorDetails } from "./module/errors.js";
import type { Variant } from "./module/int8.js";
import type { Once } from "./module/once.js";
import type { LoadProgress } from "./module/receive.js";
import { type DType, makeTensor, type Tensor } from "./module/tensor.js";
import type { ParallelModelOptions, ParallelModels } from "./parallel/encoder.js";
import { ModuleRope, type Rope, type RopeOptions } from "./rope/rope.js";
import { type GivenAngles, rotateBy } from "./rope/rotate-by.js";
import type { Training } from "./train/open.js";
import type { TaskOptions } from "./train/options.js";
import type { Task } from "./train/task.js";
import type { Trainer, TrainerOptions } from "./train/trainer.js";
import { type IndexOptions, makeIndex, type VectorIndex } from "./vectors/vector-index.js";

export interface Ropewalk {
  readonly version: string;
  /**
   * "native" where the package `ropewalk-native` computes, "wasm" elsewhere: see {@link LoadOptions.native}. Encoders with
   * `workers` are WebAssembly in either case.
   */
  readonly backend: "native" | "wasm";
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
   * // Llama 3 in Hugging Face's format, as nearly all checkpoints, pairs channels half a head apart. The default does not.
   * using rope = ropewalk.rope({ headDim: 128, pairing: "half", frequencies: { type: "default", base: 500000 } });
   */
  rope(options: RopeOptions): Rope;
  /**
   * Rotates x [B, S, H, D] by angles [B, S, H or 1, P] in radians: pair (a, b) of angle phi becomes (a cos phi - b sin phi,
   * a sin phi + b cos phi), the other channels pass. For angles that are not position times frequency: learned ones, or
   * sums of steps that depend on the input (Selective RoPE, arXiv 2511.17388). Returns a new array.
   *
   * @throws RangeError for sizes that do not agree, and angles that are not finite or beyond 2^45.
   */
  rotateBy(x: ArrayLike<number>, angles: ArrayLike<number>, shape: GivenAngles): Float32Array<ArrayBuffer>;
  /**
   * Vector-Jacobian product of `rotateBy`: from gradY = dL/dy, of the size of x, the gradients of x and of the angles, summed
   * over the heads that share an angle. @throws as `rotateBy`
   */
  rotateByGradient(
    x: ArrayLike<number>,
    angles: ArrayLike<number>,
    gradY: ArrayLike<number>,
    shape: GivenAngles,
  ): { x: Float32Array<ArrayBuffer>; angles: Float32Array<ArrayBuffer> };
  /**
   * A tensor of the shape, row-major, with the data or zeros, in the module's memory: what takes it copies nothing. It must be
   * disposed of.
   *
   * @param shape whole numbers, 0 or more; their product times the bytes of an element must fit into 2 GiB.
   * @param data as many numbers as the shape holds; 16-bit data is a Uint16Array of patterns, or a Float16Array. Default zeros.
   * @throws RangeError for a length that does not fit the shape, TypeError for data of another type, Error with the code
   *   "out-of-memory" when the memory cannot be had.
   * @example
   * using q = ropewalk.tensor([1, 128, 12, 64]);
   * rope.rotate(q, { sequence: 128, heads: 12 });
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
  encoder(files: ModelFiles, options?: EncoderOptions & { workers?: undefined }): Promise<Encoder>;
  /**
   * With `workers`, the same in so many workers of a page, or threads of Node: for lists of texts and large batches, and
   * for pages that must not wait.
   */
  encoder(files: ModelFiles, options: ParallelModelOptions): Promise<ParallelEncoder>;
  /** For a number of workers that may be undefined: then the encoder is in the calling thread. */
  encoder(
    files: ModelFiles,
    options: EncoderOptions & { workers?: number | undefined },
  ): Promise<Encoder | ParallelEncoder>;
  /**
   * Loads a causal decoder: Llama, Qwen, SmolLM, Gemma, GPT-NeoX, Phi, from safetensors or from a GGUF file. The first
   * decoder loads the code that only decoders need. Run it in a worker of your own to keep a page free.
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
   * Trains a model: from the seed, or from weights. The first trainer or task loads the code that only training needs, some
   * 200 KB gzipped.
   *
   * @throws RangeError or TypeError, as a rejection, for options and configurations, with the option's name.
   * @example
   * const task = await ropewalk.task({ name: "copy", seed: 1 });
   * const config = { vocab_size: task.vocabSize, hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 64 };
   * const trainer = await ropewalk.trainer({ config, seed: 1 });
   * trainer.train(task.batch({ index: 0, batch: 16, sequence: 24 }));
   */
  trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer>;
  /**
   * Batches of a training task, from a seed: `name` is order, copy, period, induction, dyck, needle, markov or english. Loads
   * what the first trainer loads. @throws RangeError for any other name.
   */
  task(options?: TaskOptions): Promise<Task>;
  /**
   * An index of vectors: empty, or one that `save` wrote. Its answers are exact, and the same on every machine.
   *
   * @param options `dimensions` for a new one, and `precision` if it shall keep codes alone; or `saved`. Both take `model`,
   *   a name.
   * @throws RangeError or TypeError that names the option, or for a file that is damaged or of another model.
   * @example
   * const index = ropewalk.index({ dimensions: model.dimensions });
   * index.add({ id: "1", vector: await model.embed("a sailor ties a rope"), fields: { language: "en" } });
   * const [best] = index.search(await model.embed("someone fastens a line"), { k: 1 });
   */
  index(options: IndexOptions): VectorIndex;
  /** Objects, and bytes of memory: for leak checks, and to see what a model takes. */
  stats(): MemoryStats;
}

/** To the refusal of a `model_type` that the other function loads, adds that it does. */
async function sayKind<T>(kind: Family["kind"], opened: Promise<T>): Promise<T> {
  try {
    return await opened;
  } catch (error) {
    const { argument, value } = Object(error) as Partial<ErrorDetails>;
    const other = groups.find(([names, each]) => each.kind !== kind && names.includes(value as string));
    if (argument === "model_type" && other !== undefined) (error as Error).message += `; \`${other[1].kind}\` loads it`;
    throw error;
  }
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
  readonly backend: "native" | "wasm";
  readonly version: string;

  constructor(loaded: Loaded, backend: "native" | "wasm", lazy: LazyParts) {
    this.#loaded = loaded;
    this.backend = backend;
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

  rotateBy(x: ArrayLike<number>, angles: ArrayLike<number>, shape: GivenAngles): Float32Array<ArrayBuffer> {
    return rotateBy(this.#loaded.core, x, angles, shape).x;
  }

  rotateByGradient(
    x: ArrayLike<number>,
    angles: ArrayLike<number>,
    gradY: ArrayLike<number>,
    shape: GivenAngles,
  ): { x: Float32Array<ArrayBuffer>; angles: Float32Array<ArrayBuffer> } {
    const { x: gradX, angles: gradAngles } = rotateBy(this.#loaded.core, x, angles, shape, gradY);
    return { x: gradX, angles: gradAngles! };
  }

  tensor(shape: readonly number[], data?: ArrayLike<number>): Tensor<"float32">;
  tensor<D extends DType>(shape: readonly number[], data: ArrayLike<number> | undefined, dtype: D): Tensor<D>;
  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype: DType = "float32"): Tensor {
    return makeTensor(this.#loaded.core, shape, data, dtype);
  }

  encoder(files: ModelFiles, options?: EncoderOptions & { workers?: undefined }): Promise<Encoder>;
  encoder(files: ModelFiles, options: ParallelModelOptions): Promise<ParallelEncoder>;
  encoder(
    files: ModelFiles,
    options: EncoderOptions & { workers?: number | undefined },
  ): Promise<Encoder | ParallelEncoder>;
  async encoder(
    files: ModelFiles,
    options?: EncoderOptions & { workers?: number | undefined },
  ): Promise<Encoder | ParallelEncoder> {
    const { models, parallel } = this.#lazy;
    const workers = options?.workers;
    if (workers === undefined) return sayKind("encoder", (await models()).encoder(files, options));
    return sayKind("encoder", (await parallel()).encoder(files, { ...options, workers }));
  }

  async decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder> {
    return sayKind("decoder", (await this.#lazy.decoders()).decoder(files, options));
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

  index(options: IndexOptions): VectorIndex {
    return makeIndex(this.#loaded.core, options);
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
