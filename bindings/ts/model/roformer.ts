/**
 * RoFormer (Su et al., arXiv 2104.09864), equal to Hugging Face's RoFormerFor-MaskedLM, -SequenceClassification,
 * -TokenClassification, -QuestionAnswering and -MultipleChoice; and RoFormer-v2, which those do not load.
 *
 * Shapes: B batch, S sequence, H heads, D head dimension, row-major float32.
 */

import type { ByteSource } from "../module/bytes.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import { Handle } from "../module/handle.js";
import type { NativeModel, NativeRoFormer } from "../module/native.js";
import { configToJson } from "../module/options.js";
import type { Open } from "../module/platform.js";
import { type LoadProgress, receive } from "../module/receive.js";
import { type Precision, precisionOf } from "./precision.js";
import {
  type Answer,
  answers,
  type ChoiceScore,
  type ClassScore,
  choiceScores,
  classScores,
  type MaskFilling,
  maskFillings,
  meanPooled,
  type TokenClass,
  tokenClasses,
} from "./roformer-answers.js";
import { type RoFormerOutput, type RoFormerWants, runForward } from "./roformer-forward.js";
import type { RoFormerInput } from "./roformer-input.js";
import type { Encoded, LoadTokenizer, Tokenizer } from "./tokenizer.js";

export type {
  Answer,
  ChoiceScore,
  ClassScore,
  LoadProgress,
  MaskFilling,
  Precision,
  RoFormerInput,
  RoFormerOutput,
  RoFormerWants,
  TokenClass,
};

export interface RoFormerSource {
  /** Hugging Face's config.json, parsed, plus the optional key `position_encoding` (default "rope"). */
  config: object;
  /** model.safetensors with float32, float16 or bfloat16 tensors. A string is a URL; in Node it may be a path. */
  weights: ByteSource;
  /** tokenizer.json (parsed or as text), or the text of vocab.txt. Without it the model takes ids only. */
  tokenizer?: object | string;
  /**
   * Default "float32". With "int8" the weights of the matrix products become 8 bits with a scale for each row, and
   * activations on the way as well: faster, a quarter of the memory of the products' weights, and answers that differ a
   * little.
   */
  precision?: Precision;
}

export interface RoFormer extends Disposable {
  /** config.json as it was given. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameterCount: number;
  /** What the checkpoint holds that was not used, or is not as it should be: one sentence each. */
  readonly notes: readonly string[];
  /** Runs the model on ids. @throws RangeError for an id, a type or a mask value out of range, naming its index. */
  forward(input: RoFormerInput, wants?: RoFormerWants): RoFormerOutput;
  /** Ids of a text, or of a pair of texts. @throws Error when the model came without a tokenizer, as those below. */
  encode(text: string, pair?: string): Encoded;
  /** The likeliest words for each [MASK], best first: one list per [MASK]. `topK` is 5 unless given. */
  fillMask(text: string, options?: { topK?: number }): MaskFilling[][];
  /** Sentence vectors, [texts, hidden]: the mean of the last hidden states, scaled to length 1. */
  embed(texts: readonly string[]): Float32Array;
  /**
   * Every class of a text, or of a pair, with its probability, best first; the value itself when `problem_type` is
   * "regression". @throws Error when the checkpoint has no such head, as those below.
   */
  classify(text: string, pair?: string): ClassScore[];
  /** The likeliest class of each token of the text, without [CLS] and [SEP]. */
  classifyTokens(text: string): TokenClass[];
  /**
   * Where in `context` the answer is, best first: the `topK` (1 unless given) likeliest stretches of at most `maxTokens`
   * (15 unless given) tokens.
   */
  answer(question: string, context: string, options?: { topK?: number; maxTokens?: number }): Answer[];
  /** How well each choice continues the prompt, best first: each is a pair of its own, without padding. */
  choose(prompt: string, choices: readonly string[]): ChoiceScore[];
  /** Frees the model. Doing so again has no effect; using it afterwards is an Error. */
  dispose(): void;
}

class ModuleRoFormer extends Handle implements RoFormer {
  readonly #core: Core;
  readonly #native: NativeRoFormer;
  readonly #tokenizer: Tokenizer | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameterCount: number;
  readonly notes: readonly string[];

  constructor(core: Core, native: NativeRoFormer, tokenizer: Tokenizer | undefined) {
    super(core.owner, "RoFormer", 1, () => native.delete());
    this.#core = core;
    this.#native = native;
    this.#tokenizer = tokenizer;
    native.configJson();
    this.config = Object.freeze(JSON.parse(core.text()) as Record<string, unknown>);
    this.parameterCount = native.parameterCount();
    native.notes();
    this.notes = core.text().split("\n").filter(Boolean);
  }

  forward(input: RoFormerInput, wants: RoFormerWants = {}): RoFormerOutput {
    this.addressFor("forward");
    return runForward(this.#core, this, this.#native, optionsObject("forward", "input", input), wants);
  }

  encode(text: string, pair?: string): Encoded {
    return this.#encoded("encode", text, pair).encoded;
  }

  fillMask(text: string, options: { topK?: number } = {}): MaskFilling[][] {
    const fn = "fillMask";
    const { encoded, tokenizer } = this.#encoded(fn, text);
    const { topK = 5 } = optionsObject(fn, "options", options);
    if (wholeNumber(fn, "topK", topK) === 0)
      throw new RangeError(refusal(fn, "topK", topK, "a whole number of at least 1"));
    if (!encoded.inputIds.some((id) => id === tokenizer.maskId)) {
      throw new RangeError(refusal(fn, "text", text, `a text with ${tokenizer.maskToken} where a word is to be found`));
    }
    const { logits } = this.#run(fn, encoded, { logits: true });
    if (logits === undefined) throw new Error(`${fn}: this checkpoint has no masked-language-model head`);
    return maskFillings(tokenizer, encoded.inputIds, logits, topK);
  }

  embed(texts: readonly string[]): Float32Array {
    const fn = "embed";
    if (!Array.isArray(texts)) throw new TypeError(refusal(fn, "texts", texts, "an array of texts"));
    const vectors = texts.map((text: string, i) => {
      const { encoded } = this.#encoded(fn, text, undefined, `texts[${i}]`);
      return meanPooled(this.#run(fn, encoded, { logits: false }).lastHiddenState, encoded.inputIds.length);
    });
    const width = vectors[0]?.length ?? 0;
    const all = new Float32Array(vectors.length * width);
    vectors.forEach((vector, i) => {
      all.set(vector, i * width);
    });
    return all;
  }

  classify(text: string, pair?: string): ClassScore[] {
    const fn = "classify";
    const { encoded } = this.#encoded(fn, text, pair);
    const { classLogits } = this.#run(fn, encoded, { logits: false });
    if (classLogits === undefined) throw new Error(`${fn}: this checkpoint has no sequence classification head`);
    return classScores(classLogits, this.config);
  }

  classifyTokens(text: string): TokenClass[] {
    const fn = "classifyTokens";
    const { encoded, tokenizer } = this.#encoded(fn, text);
    const { tokenLogits } = this.#run(fn, encoded, { logits: false });
    if (tokenLogits === undefined) throw new Error(`${fn}: this checkpoint has no token classification head`);
    return tokenClasses(tokenizer, encoded, tokenLogits, this.config);
  }

  answer(question: string, context: string, options: { topK?: number; maxTokens?: number } = {}): Answer[] {
    const fn = "answer";
    if (typeof context !== "string") throw new TypeError(refusal(fn, "context", context, "a text"));
    const { encoded, tokenizer } = this.#encoded(fn, question, context, "question");
    const { topK = 1, maxTokens = 15 } = optionsObject(fn, "options", options);
    for (const [name, value] of Object.entries({ topK, maxTokens })) {
      if (wholeNumber(fn, name, value) === 0)
        throw new RangeError(refusal(fn, name, value, "a whole number of at least 1"));
    }
    const { startLogits, endLogits } = this.#run(fn, encoded, { logits: false });
    if (startLogits === undefined || endLogits === undefined)
      throw new Error(`${fn}: this checkpoint has no question answering head`);
    return answers(tokenizer, encoded, startLogits, endLogits, topK, maxTokens);
  }

  choose(prompt: string, choices: readonly string[]): ChoiceScore[] {
    const fn = "choose";
    if (!Array.isArray(choices) || choices.length === 0)
      throw new TypeError(refusal(fn, "choices", choices, "an array of at least one text"));
    const logits = choices.map((choice: unknown, i) => {
      if (typeof choice !== "string") throw new TypeError(refusal(fn, `choices[${i}]`, choice, "a text"));
      const { encoded } = this.#encoded(fn, prompt, choice, "prompt");
      const { choiceLogits } = this.#run(fn, encoded, { logits: false });
      if (choiceLogits === undefined) throw new Error(`${fn}: this checkpoint has no multiple choice head`);
      return choiceLogits[0]!;
    });
    return choiceScores(choices, Float32Array.from(logits));
  }

  #encoded(fn: string, text: string, pair?: string, name = "text"): { encoded: Encoded; tokenizer: Tokenizer } {
    this.addressFor(fn);
    const tokenizer = this.#tokenizer;
    if (tokenizer === undefined)
      throw new Error(`${fn}: this model was loaded without \`tokenizer\`; it takes ids only`);
    if (typeof text !== "string") throw new TypeError(refusal(fn, name, text, "a text"));
    if (pair !== undefined && typeof pair !== "string") throw new TypeError(refusal(fn, "pair", pair, "a text"));
    return { encoded: tokenizer.encode(text, pair), tokenizer };
  }

  #run(fn: string, encoded: Encoded, wants: RoFormerWants): RoFormerOutput {
    this.addressFor(fn);
    const { inputIds, tokenTypeIds, attentionMask } = encoded;
    const input = { inputIds, tokenTypeIds, attentionMask, sequence: inputIds.length };
    return runForward(this.#core, this, this.#native, input, wants);
  }
}

export async function loadRoFormer(
  core: Core<NativeModel>,
  open: Open,
  loadTokenizer: LoadTokenizer,
  source: RoFormerSource,
  progress: LoadProgress = {},
): Promise<RoFormer> {
  const fn = "roformer";
  const { config, weights, tokenizer } = optionsObject(fn, "source", source);
  const int8 = precisionOf(fn, source) === "int8";
  optionsObject(fn, "options", progress);
  if (Array.isArray(config)) throw new TypeError(refusal(fn, "config", config, "config.json, parsed"));
  const json = configToJson(fn, optionsObject(fn, "config", config));
  // First, since a bad tokenizer shows sooner than the weights arrive.
  const words = tokenizer === undefined ? undefined : await loadTokenizer(tokenizer);
  const native = await receive(core, open, fn, "weights", weights, progress, (address, size) => {
    const made = core.withText(fn, "`config`", json, (configAddress, configSize) =>
      core.native.makeRoFormer(configAddress, configSize, address, size, int8),
    );
    if (made === null) throw core.failureOfFile();
    return made;
  });
  return new ModuleRoFormer(core, native, words);
}
