/**
 * Causal decoders and the keys and values that they keep: what a caller sees.
 *
 * Shapes: T tokens of a call, K key heads, D head dimension, V vocabulary, row-major float32. Returned arrays are copies.
 */

import type { ChatMessage, ChatTemplateOptions } from "../chat/surface.js";
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
  /**
   * Keeps a copy of the output matrix in 5 bits, by which `generate` leaves unread the rows that are proven not to be drawn.
   * Tokens are the same, and come faster where the vocabulary is most of the model; `logProbability` is NaN behind the
   * first. Works with `precision: "int8"`, for `temperature` 0 or `topK` of at most 8. Takes 0.66 times the memory of that
   * matrix. `notes` says where it has no effect. Default false.
   */
  screen?: boolean | undefined;
}

/**
 * How a token is chosen from the logits. The steps apply in this order, each to what the one before left: repetition penalty,
 * temperature, topK, topP, minP. A value outside its range is a RangeError.
 */
export interface Sampling {
  /** Divides the logits: above 1 evens out the probabilities, below 1 sharpens them. At least 0. Default 0: the likeliest token. */
  temperature?: number | undefined;
  /** Keeps so many of the likeliest tokens. A whole number. Default 0: all. */
  topK?: number | undefined;
  /** Keeps the fewest likeliest tokens whose probabilities add up to at least this. Above 0, at most 1. Default 1: all. */
  topP?: number | undefined;
  /** Keeps tokens with at least this share of the largest probability. 0 to 1. Default 0: all. */
  minP?: number | undefined;
  /**
   * Divides positive logits of tokens that occurred, and multiplies negative ones (Keskar et al. 2019). Above 0. Default 1: no
   * penalty.
   */
  repetitionPenalty?: number | undefined;
  /** Tokens at the end of the cache that the penalty looks at. A whole number. Default 64. */
  repetitionWindow?: number | undefined;
  /** Seed of the draws, a whole number. The same seed and the same logits give the same text. Default 0. */
  seed?: number | undefined;
}

export interface GenerateOptions extends Sampling, CancelOptions {
  /** Default: until the text ends or the context is full. */
  maxTokens?: number | undefined;
  /** Generation ends before the first of these strings; `text` never holds a part of one. */
  stop?: readonly string[] | undefined;
  /**
   * The prompt is appended to this cache, which then ends where the shown text ends: before a stop string or an EOS id, else
   * with the last token. One generation at a time may use it. Default: a new one.
   */
  cache?: KeyCache | undefined;
  /** Adds the tokenizer's BOS to a text prompt. Default: as the tokenizer says, for an empty cache; else false. */
  addSpecialTokens?: boolean | undefined;
  /**
   * Tokens that followed the last two or three before are computed together with the next one, and kept as far as they are
   * right: a text that repeats its prompt comes faster, with the same tokens and probabilities. While tokens come, `cache`
   * may be some of them ahead. Default true.
   */
  guesses?: boolean | undefined;
  /**
   * A JSON schema. The output is JSON that it allows, on one line, with the properties in their order, and ends with an EOS
   * id; `finishReason` says "length" or "context" where it was cut off. Other keywords than it can keep are refused by name.
   * Its code, XGrammar, is loaded with the first schema (0.3 MB). Default: any text.
   */
  schema?: object | boolean | undefined;
  /**
   * A regular expression that the whole output matches; `.` matches line breaks too. Lookaround, backreferences, \b and \p
   * are refused, and so are the flags i and m. As `schema` in all else; one of both.
   */
  regex?: string | RegExp | undefined;
}

export interface ChatOptions extends ChatTemplateOptions, Omit<GenerateOptions, "addSpecialTokens"> {
  /** As `encodeChat` has it. Default false. */
  trustContent?: boolean | undefined;
}

export interface GeneratedToken {
  id: number;
  /** Text that this token completes: empty within a character, before a possible stop string, and for an EOS id. */
  text: string;
  /** Natural logarithm of its probability under the model, before sampling options. NaN where `screen` takes effect. */
  logProbability: number;
}

/** "eos": the model ended the text; "stop": a `stop` string came; "length": `maxTokens` came; "context": the cache is full. */
export type FinishReason = "eos" | "stop" | "length" | "context";

/** Tokens of a generation, by the names that services of language models give them. */
export interface Usage {
  /** Tokens before the first that was generated: those of the cache and of the prompt. */
  readonly promptTokens: number;
  /** Those of them that the cache held, and that were not computed. */
  readonly cachedTokens: number;
  /** Tokens so far, EOS included. */
  readonly completionTokens: number;
}

/** Starts with the first `next()`, which checks the arguments; can be iterated once. `break` frees what it made. */
export interface Generation extends AsyncIterableIterator<GeneratedToken> {
  /** Undefined until the iteration ends. */
  readonly finishReason: FinishReason | undefined;
  /** Counted while it runs; all 0 before the first token. */
  readonly usage: Usage;
  /** Runs to the end, and returns the whole text, with what was read before. */
  text(): Promise<string>;
}

export interface Choice {
  /** The text that was given. */
  choice: string;
  /** Index in the array that was given. */
  index: number;
  /** Natural logarithm of the probability with which the model writes it behind the prompt. */
  logProbability: number;
  /** Probability among the choices, 0 to 1. */
  score: number;
}

/** A part of a model's rotation: one pair of one head of keys in one layer, or all of what is left out. Counted from 0. */
export interface RotationPart {
  /** Layers that attend to its keys go with it. */
  layer?: number | undefined;
  /** A head of keys, with the heads of queries that attend to it. */
  keyHead?: number | undefined;
  /** Pair j of each head, the one of frequency theta_j. */
  pair?: number | undefined;
}

export interface CacheOptions {
  /**
   * "rotated" stores each key as first rotated; a move is recorded for its run of tokens and applied to the query, so
   * that no key rotates twice. "raw" stores unrotated keys, which rotate anew at each feed: for rules that depend on the
   * length. Default "rotated", and "raw" for dynamic NTK.
   */
  keys?: "rotated" | "raw" | undefined;
  /** Default "float32". */
  dtype?: "float32" | "float16" | "int8" | undefined;
  /**
   * Parts of the rotation that are left out, to see what they are for: the angle of these pairs is 0 at all positions, for
   * queries and keys alike, and the attention scaling stays. Such a cache takes chunks of the same parts, and cannot be
   * saved. Default []: everything rotates.
   *
   * @example
   * const ids = model.encode("The sailor tied the rope with a knot.");
   * using cache = model.cache({ withoutRotation: [{ layer: 0, pair: 3 }] });
   * const logits = cache.feed(ids, { all: true }); // beside those of model.cache()
   */
  withoutRotation?: readonly RotationPart[] | undefined;
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
  encode(text: string, options?: { addSpecialTokens?: boolean | undefined }): number[];
  /** Text of token ids. Special tokens have none, unless `skipSpecialTokens` is false; its default is true. */
  decode(ids: ArrayLike<number>, options?: { skipSpecialTokens?: boolean | undefined }): string;
  /**
   * Makes an empty cache.
   *
   * @throws RangeError for a part of the rotation that the model does not have.
   */
  cache(options?: CacheOptions): KeyCache;
  /**
   * Computes keys and values of tokens on their own, to be appended to any cache of this model with the same options.
   *
   * @throws RangeError for ids out of the vocabulary, and for more tokens than fit into the context.
   */
  chunk(ids: ArrayLike<number>, options?: CacheOptions): Chunk;
  /** Generates text. The EOS id is yielded, as the last token. Without a tokenizer every `text` is empty. */
  generate(prompt: string | ArrayLike<number>, options?: GenerateOptions): Generation;
  /**
   * Scores texts that may follow the prompt, the likeliest first, each exactly: the sum over its tokens. Nothing is
   * drawn. A text counts as far as it goes: of two that begin alike the shorter one is the likelier.
   *
   * @param prompt a text, or ids such as those of `encodeChat`. A choice begins with a space where a word would.
   * @example
   * const [best] = await model.choose("The sailor tied the rope with a", [" knot", " song"]);
   */
  choose(prompt: string | ArrayLike<number>, choices: readonly string[], options?: CancelOptions): Promise<Choice[]>;
  /** True where the files hold a chat template: in tokenizer_config.json, chat_template.jinja, or GGUF's metadata. */
  readonly chats: boolean;
  /**
   * The text that the model's template makes of messages.
   *
   * @throws RangeError for messages that the template refuses, and for a template that is broken, takes too long, or asks
   *   for what is not done. Error where `chats` is false.
   */
  renderChat(messages: readonly ChatMessage[], options?: ChatTemplateOptions): string;
  /**
   * Its ids. Text of messages, tools and documents that looks like a special token stays text, so that no message can end
   * its own turn, unless `trustContent` is true, which does as Transformers does.
   *
   * @throws as `renderChat`.
   */
  encodeChat(
    messages: readonly ChatMessage[],
    options?: ChatTemplateOptions & { trustContent?: boolean | undefined },
  ): number[];
  /**
   * Generates the next message, to the end of the model's turn. With `cache` only what differs from the tokens in the
   * cache is computed: give the same cache with each turn, and all messages.
   *
   * @throws as `renderChat`, with the first `next()`.
   * @example
   * const messages = [{ role: "user", content: "Name a knot." }];
   * using cache = model.cache();
   * for await (const { text } of model.chat(messages, { cache, maxTokens: 200 })) process.stdout.write(text);
   */
  chat(messages: readonly ChatMessage[], options?: ChatOptions): Generation;
  /** @throws Error for bytes that are damaged, or that another model or precision saved. */
  restore(bytes: Uint8Array | ArrayBuffer): KeyCache;
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
  /**
   * Appends tokens; returns the logits of the last, [V], or of all, [T, V]. Synchronous: see `prefill`.
   *
   * @throws RangeError for ids out of the vocabulary, and for more tokens than fit into the context.
   */
  feed(ids: ArrayLike<number>, options?: { all?: boolean | undefined }): Floats;
  /** As `feed`, but lets the event loop run; on cancel the cache is as it was before. */
  prefill(
    ids: ArrayLike<number>,
    options?: CancelOptions & { onProgress?: ((done: number, total: number) => void) | undefined },
  ): Promise<Floats>;
  /**
   * Keeps the first `length` tokens, 0 to the present length.
   *
   * @throws RangeError for any other length, and for a model with a recurrent state (Qwen 3.5) unless it is 0 or the present
   *   length: fork the cache where a text may have to go back.
   */
  trim(length: number): void;
  /**
   * Forgets tokens [from, to), 0 <= from <= to <= length. Those behind move back by to - from positions; values stay as they
   * are. With `rotate` false their keys keep the rotation of their old positions, which is a well-known mistake: for
   * experiments, and not with raw keys.
   *
   * @throws RangeError for from and to outside that range, for `rotate: false` with raw keys, and for a model with a
   *   recurrent state unless it is all tokens or none.
   */
  drop(from: number, to: number, options?: { rotate?: boolean | undefined }): void;
  /**
   * Appends a chunk, or its tokens [from, to), rotated to the new positions. The chunk stays as it is.
   *
   * @throws RangeError beyond the context, for from and to outside 0 to chunk.length, and for a chunk of another model or of
   *   other `CacheOptions`. For a model with a recurrent state also unless a whole chunk begins the cache.
   */
  append(chunk: Chunk, range?: { from?: number | undefined; to?: number | undefined }): void;
  /**
   * Changes the frequencies of held keys: rope_parameters as in config.json, for a model with several ropes one for each
   * layer type; rope_theta stays unless given.
   */
  rescale(ropeParameters: object): void;
  /** A copy, which shares memory until one of both changes. */
  fork(): KeyCache;
  /**
   * Everything in bytes, for `Decoder.restore` of the same model and precision: about as many as `bytes` says, and a header.
   *
   * @throws RangeError for a cache without a part of the rotation.
   */
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

/** Keys and values of some tokens, computed on their own. Any cache of the same model and options takes it, any number of times. */
export interface Chunk extends Disposable {
  /** Tokens held. */
  readonly length: number;
  /** Ids of the tokens, [length]. */
  tokens(): Int32Array<ArrayBuffer>;
  /** Frees it. Caches that it was appended to keep their copy. */
  dispose(): void;
}
