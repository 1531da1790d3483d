/** The interface that an encoder in the calling thread and one in workers share. */

import type { RoFormerInput } from "../encoder-input.js";
import type { EncoderOutput, EncoderOutputs, Floats } from "../encoder-output.js";
import type { Json } from "../files/read.js";
import type { Answer, ChoiceScore, ClassScore, MaskFilling, TokenClass } from "./answers.js";
import type { CancelOptions, EmbedOptions, TruncationOptions } from "./embed-options.js";
import type { Encoded } from "./tokenizer.js";

/** A document's index in the given list, and its score. */
export interface RankedDocument {
  index: number;
  score: number;
}

/** A rope, the layers that use it, and their window (|i - j| <= window; null: none). */
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
  /** Each rope, the layers that use it, and their window (|i - j| <= window; null: none). */
  readonly ropes: readonly LayerRope[];
  /** Token ids of a text or pair, not truncated. */
  encode(text: string, pair?: string): Encoded;
  /**
   * Sentence vectors, in the order of the texts. The bits do not depend on which texts are embedded together.
   *
   * @example
   * const [query] = await model.embed(["how do ropes work?"], { prompt: { name: "query" } });
   */
  embed(text: string, options?: EmbedOptions): Promise<Floats>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Floats[]>;
  /**
   * Documents by relevance to the query, best first, equal scores by index: `topK` of them, or all. Needs a
   * cross-encoder with one label.
   */
  rank(
    query: string,
    documents: readonly string[],
    options?: CancelOptions & TruncationOptions & { topK?: number },
  ): Promise<RankedDocument[]>;
  /** The likeliest tokens for each mask, best first: one list per mask. `topK` is 5 unless given. */
  fillMask(text: string, options?: CancelOptions & { topK?: number }): Promise<MaskFilling[][]>;
  /**
   * Every class of a text, or of a pair, with its probability, best first; the value itself when `problem_type` is
   * "regression".
   */
  classify(text: string, pair?: string, options?: CancelOptions): Promise<ClassScore[]>;
  /** The likeliest class of each token of the text, without special tokens. */
  classifyTokens(text: string, options?: CancelOptions): Promise<TokenClass[]>;
  /**
   * Finds the answer in `context`: the `topK` (default 1) likeliest stretches of at most `maxTokens` (default 15)
   * tokens, best first.
   */
  answer(
    question: string,
    context: string,
    options?: CancelOptions & { topK?: number; maxTokens?: number },
  ): Promise<Answer[]>;
  /** How well each choice continues the prompt, best first. */
  choose(prompt: string, choices: readonly string[], options?: CancelOptions): Promise<ChoiceScore[]>;
  /** Frees the model. Doing so again has no effect; using it afterwards is an Error. */
  dispose(): void;
}

/** An encoder in the calling thread. Its text methods let the event loop run at least every 50 ms between texts. */
export interface Encoder extends EncoderBase {
  /** Runs the model on ids. @throws RangeError for an id, a type or a mask value out of range, naming its index. */
  forward(input: RoFormerInput, outputs?: EncoderOutputs): EncoderOutput;
}

/** An encoder in workers. */
export interface ParallelEncoder extends EncoderBase {
  readonly workers: number;
  /** The sequences of the batch divided among the workers. Rejects as Encoder.forward throws. */
  forward(input: RoFormerInput, outputs?: EncoderOutputs, options?: CancelOptions): Promise<EncoderOutput>;
}
