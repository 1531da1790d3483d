/**
 * Causal decoders and the keys and values that they keep: what a caller sees.
 *
 * Shapes: T tokens of a call, K key heads, D head dimension, V vocabulary, row-major float32. Returned arrays are copies.
 */
import type { Floats } from "../encoder-output.js";
import type { Json } from "../files/read.js";
import type { ModelOptions } from "../read-encoder.js";
import type { CancelOptions } from "../text/embed-options.js";
import type { LayerRope } from "../text/encoder-base.js";

export interface DecoderOptions extends ModelOptions {
  /**
   * Capacity of each cache in tokens. Default: the smaller of 2048 and the model's own limit. Feeding more throws a
   * RangeError and leaves the cache as it was; `generate` ends with `finishReason: "context"`.
   */
  context?: number | undefined;
}

/** Applied in this order: repetition penalty, temperature, top-k, top-p, min-p. generation_config.json is not used. */
export interface Sampling {
  /** Default 0: greedy, the lowest id of equal logits. */
  temperature?: number;
  /** Default 0: off. */
  topK?: number;
  /** Default 1: off. */
  topP?: number;
  /** Default 0: off. */
  minP?: number;
  /** Default 1: off. */
  repetitionPenalty?: number;
  /** Tokens at the end of the cache that the penalty looks at. Default 64. */
  repetitionWindow?: number;
  /** Default 0. The same seed and the same logits give the same text. */
  seed?: number;
}

export interface GenerateOptions extends Sampling, CancelOptions {
  /** Default: until the text ends or the context is full. */
  maxTokens?: number;
  /** Generation ends before the first of these strings; `text` never holds a part of one. */
  stop?: readonly string[];
  /** The prompt is appended to this cache, which then holds prompt and generated tokens, less the last. Default: new. */
  cache?: KeyCache;
  /** Adds the tokenizer's BOS to a text prompt. Default: as the tokenizer says, for an empty cache; else false. */
  addSpecialTokens?: boolean;
}

export interface GeneratedToken {
  id: number;
  /** Text that this token completes: empty within a character, before a possible stop string, and for an EOS id. */
  text: string;
  /** Natural logarithm of its probability under the model, before sampling options. */
  logProbability: number;
}

export type FinishReason = "eos" | "stop" | "length" | "context";

/** Starts with the first `next()`, which checks the arguments; can be iterated once. `break` frees what it made. */
export interface Generation extends AsyncIterableIterator<GeneratedToken> {
  /** Undefined until the iteration ends. */
  readonly finishReason: FinishReason | undefined;
  /** Runs to the end and returns the whole text. */
  text(): Promise<string>;
}

export interface CacheOptions {
  /**
   * "rotated" stores each key as first rotated; a move is recorded for its run of tokens and applied to the query, so
   * that no key rotates twice. "raw" stores unrotated keys, which rotate anew at each feed: for rules that depend on the
   * length. Default "rotated", and "raw" for dynamic NTK.
   */
  keys?: "rotated" | "raw";
  /** Default "float32". */
  dtype?: "float32" | "float16" | "int8";
}

export interface Decoder extends Disposable {
  readonly config: Json;
  readonly modelType: string;
  readonly parameterCount: number;
  /** Capacity of each cache in tokens. */
  readonly context: number;
  /** One sentence for each tensor or key that was ignored, and for each assumption. */
  readonly notes: readonly string[];
  /** Each rope, the layers that use it, and their window w (0 <= i - j < w; null: none). */
  readonly ropes: readonly LayerRope[];
  /** Token ids of a text. @throws Error when there is no tokenizer, as `decode` and text prompts. */
  encode(text: string, options?: { addSpecialTokens?: boolean }): number[];
  decode(ids: ArrayLike<number>, options?: { skipSpecialTokens?: boolean }): string;
  /** Makes an empty cache. */
  cache(options?: CacheOptions): KeyCache;
  /** Computes keys and values of tokens by themselves, to be appended to any cache of this model. */
  chunk(ids: ArrayLike<number>, options?: CacheOptions): Chunk;
  /** Generates text. The EOS id is yielded, as the last token. Without a tokenizer every `text` is empty. */
  generate(prompt: string | ArrayLike<number>, options?: GenerateOptions): Generation;
  /** @throws Error for bytes that are damaged, or that another model or precision saved. */
  restore(bytes: Uint8Array): KeyCache;
  /** Frees the model and every cache and chunk of it. */
  dispose(): void;
}

/** The keys and values of the tokens that were fed. After an error it is as it was before. */
export interface KeyCache extends Disposable {
  /** Tokens held. They stand at positions 0 to length - 1. */
  readonly length: number;
  /** Bytes allocated for keys and values, in blocks of 64 tokens; blocks shared by forks count once for each. */
  readonly bytes: number;
  /** Held tokens, [length]. */
  tokens(): Int32Array<ArrayBuffer>;
  /** Appends tokens; returns the logits of the last, [V], or of all, [T, V]. Synchronous: see `prefill`. */
  feed(ids: ArrayLike<number>, options?: { all?: boolean }): Floats;
  /** As `feed`, but lets the event loop run; on cancel the cache is as it was before. */
  prefill(
    ids: ArrayLike<number>,
    options?: CancelOptions & { onProgress?: (done: number, total: number) => void },
  ): Promise<Floats>;
  /** Keeps the first `length` tokens. */
  trim(length: number): void;
  /**
   * Forgets tokens [from, to). Those behind move back by to - from positions; values stay as they are. With `rotate` false
   * their keys keep the rotation of their old positions, which is a well-known mistake: for experiments, and not with raw
   * keys.
   */
  drop(from: number, to: number, options?: { rotate?: boolean }): void;
  /** Appends a chunk, or its tokens [from, to), rotated to the new positions. */
  append(chunk: Chunk, range?: { from?: number; to?: number }): void;
  /**
   * Changes the frequencies of held keys: rope_parameters as in config.json, for a model with several ropes one for each
   * layer type; rope_theta stays unless given.
   */
  rescale(ropeParameters: object): void;
  /** A copy, which shares memory until one of both changes. */
  fork(): KeyCache;
  /** All of it, for `Decoder.restore`. */
  save(): Uint8Array<ArrayBuffer>;
  /**
   * Keys of a layer, rotated to their present positions, magnitude included, [length, K, D]. Layers with windows keep all
   * tokens.
   */
  keys(layer: number): Floats;
  /** Describes moves, error bounds and approximations. */
  explain(): string;
  dispose(): void;
}

export interface Chunk extends Disposable {
  readonly length: number;
  tokens(): Int32Array<ArrayBuffer>;
  dispose(): void;
}
