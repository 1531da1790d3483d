/** The interface that an encoder in the calling thread and one in workers share. */

import type { EncoderInput } from "../encoder-input.js";
import type { EncoderOutput, EncoderOutputs, Floats } from "../encoder-output.js";
import type { Json } from "../files/read.js";
import type { Gives } from "../heads/gives.js";
import type { RankOptions, SideOptions, SparseVector, TokenVectors, ZeroShotOptions } from "../heads/surface.js";
import type { Answer, ChoiceScore, ClassScore, MaskFilling, TokenClass } from "./answers.js";
import type { CancelOptions, EmbedEachOptions, EmbedOptions } from "./embed-options.js";
import type { Encoded } from "./encoded.js";
import type { TextPiece } from "./split.js";

/** A document's index in the given list, and its score. */
export interface RankedDocument {
  index: number;
  score: number;
}

export interface OffsetsOption {
  /**
   * Adds `offsets`, the UTF-16 code units [start, end) of a token: `text.slice(start, end)` is what stands there. They are
   * those of Hugging Face's tokenizers, which count code points. Default false.
   */
  offsets?: boolean | undefined;
}

/** A rope, the layers that use it, and their window (|i - j| <= window, in a causal model i - j < window; null: none). */
export interface LayerRope {
  layers: readonly number[];
  window: number | null;
  explain: string;
}

/**
 * Members that models in the same thread and in workers share. Texts longer than `maxTokens` are truncated: special
 * tokens stay, and of a pair the longer text is cut first. Every method rejects with a RangeError or TypeError for an
 * argument that is not allowed, and with an Error when the model came without a tokenizer or the checkpoint lacks the
 * head that the method needs.
 */
export interface EncoderBase extends Disposable {
  /** config.json as it was given. */
  readonly config: Json;
  /** `model_type` in config.json. */
  readonly modelType: string;
  readonly parameterCount: number;
  /** Entries of an embedding before `EmbedOptions.dimensions`. */
  readonly dimensions: number;
  /** Longest input in tokens, special tokens included; Infinity where nothing limits it. */
  readonly maxTokens: number;
  /** Prefixes of texts by name, as config_sentence_transformers.json has them. */
  readonly prompts: Readonly<Record<string, string>>;
  /** One sentence for each tensor or key that was ignored, and for each assumption. */
  readonly notes: readonly string[];
  /** Each rope, the layers that use it, and their window. */
  readonly ropes: readonly LayerRope[];
  /** The kinds of answers that the files make of the model: `embed` needs "vectors", `embedTokens` "tokens". */
  readonly gives: readonly Gives[];
  /**
   * Token ids of a text or pair, not truncated. `offsets` adds the offsets of each token in its text, for a model that was
   * opened with `offsets: true`.
   *
   * @example
   * const model = await ropewalk.encoder("models/all-MiniLM-L6-v2", { offsets: true });
   * const { tokens, offsets } = model.encode(text, undefined, { offsets: true });
   * const written = tokens.map((_, i) => text.slice(...offsets[i])); // "" for special tokens
   */
  encode(text: string, pair?: string, options?: OffsetsOption): Encoded;
  /** The text of token ids; special tokens are left out unless `skipSpecialTokens` is false. */
  decode(ids: ArrayLike<number>, options?: { skipSpecialTokens?: boolean | undefined }): string;
  /** Tokens of a text with its special ones, as `maxTokens` counts them. */
  countTokens(text: string): number;
  /**
   * A long text in pieces of at most `maxTokens` tokens, special ones included (default: those of the model), at the ends of
   * paragraphs, lines, sentences or words. Each piece begins with up to `overlap` tokens (default 0) of the one before.
   * @throws RangeError where `maxTokens` leaves no token for text, or `overlap` is not below it.
   */
  splitText(text: string, options?: { maxTokens?: number | undefined; overlap?: number | undefined }): TextPiece[];
  /**
   * Sentence vectors, in the order of the texts. The bits do not depend on which texts are embedded together.
   *
   * @example
   * const [query] = await model.embed(["how do ropes work?"], { prompt: { name: "query" } });
   */
  embed(text: string, options?: EmbedOptions): Promise<Floats>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Floats[]>;
  /**
   * Sentence vectors of many texts as they are ready, in order, in batches of about the same number of tokens: the texts
   * may come from a file or a database, and are read as they are needed.
   *
   * @example
   * let id = 0;
   * for await (const vector of model.embedEach(texts)) index.add({ id: String(id++), vector });
   */
  embedEach(texts: Iterable<string> | AsyncIterable<string>, options?: EmbedEachOptions): AsyncIterableIterator<Floats>;
  /**
   * Vectors of the tokens of each text, for late interaction, as the model makes them of queries or documents: with its
   * prefixes, its longest texts, its fill of queries, and without the tokens that it skips.
   */
  embedTokens(text: string, options?: SideOptions): Promise<TokenVectors>;
  embedTokens(texts: readonly string[], options?: SideOptions): Promise<TokenVectors[]>;
  /** Weights of the words of each text (SPLADE), with the model's prompt for queries or documents. */
  embedSparse(text: string, options?: SideOptions): Promise<SparseVector>;
  embedSparse(texts: readonly string[], options?: SideOptions): Promise<SparseVector[]>;
  /**
   * Documents by relevance to the query, best first, equal scores by index: `topK` of them, or all. A cross-encoder with
   * one label scores pairs, and so does a causal reranker, with its chat template. A model of vectors ranks by cosine, with its prompts for queries and documents; late
   * interaction by the sum over the query's tokens of the largest product with a token of the document; sparse vectors by
   * their product.
   */
  rank(query: string, documents: readonly string[], options?: RankOptions): Promise<RankedDocument[]>;
  /**
   * Labels that need no training, best first, by a model for natural language inference: how well `text` entails
   * `hypothesis` with each label. The scores are those of the zero-shot pipeline of Transformers: they add up to 1 unless
   * `multiple` is true.
   *
   * @example
   * const [best] = await model.classifyInto("The ship left the harbour.", ["sea", "kitchen"]);
   */
  classifyInto(text: string, labels: readonly string[], options?: ZeroShotOptions): Promise<ClassScore[]>;
  /** The likeliest tokens for each mask, best first: one list per mask. `topK` is 5 unless given. */
  fillMask(text: string, options?: CancelOptions & { topK?: number | undefined }): Promise<MaskFilling[][]>;
  /**
   * Every class of a text, or of a pair, with its probability, best first; the value itself when `problem_type` is
   * "regression".
   */
  classify(text: string, pair?: string, options?: CancelOptions): Promise<ClassScore[]>;
  /** The likeliest class of each token of the text, without special tokens; with its offsets where `offsets` is true. */
  classifyTokens(text: string, options?: CancelOptions & OffsetsOption): Promise<TokenClass[]>;
  /**
   * Finds the answer in `context`: the `topK` (default 1) likeliest stretches of at most `maxTokens` (default 15)
   * tokens, best first; with their offsets where `offsets` is true.
   */
  answer(
    question: string,
    context: string,
    options?: CancelOptions & OffsetsOption & { topK?: number | undefined; maxTokens?: number | undefined },
  ): Promise<Answer[]>;
  /** How well each choice continues the prompt, best first. */
  choose(prompt: string, choices: readonly string[], options?: CancelOptions): Promise<ChoiceScore[]>;
  /** Frees the model. Doing so again has no effect; using it afterwards is an Error. */
  dispose(): void;
}

/** An encoder in the calling thread. Its text methods let the event loop run at least every 50 ms between texts. */
export interface Encoder extends EncoderBase {
  /** Runs the model on ids. @throws RangeError for an id, a type or a mask value out of range, naming its index. */
  forward(input: EncoderInput, outputs?: EncoderOutputs): EncoderOutput;
}

/** An encoder in workers. */
export interface ParallelEncoder extends EncoderBase {
  /** 0 for a static model, which works in the calling thread. */
  readonly workers: number;
  /** The sequences of the batch divided among the workers. Rejects as Encoder.forward throws. */
  forward(input: EncoderInput, outputs?: EncoderOutputs, options?: CancelOptions): Promise<EncoderOutput>;
}
