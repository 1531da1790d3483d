/** Text in, answers out: everything about words that an encoder does, on passes that a subclass runs. */
import { optionsObject } from "../../module/errors.js";
import { Handle, type Owner } from "../../module/handle.js";
import type { ReadInput } from "../encoder-input.js";
import { type EncoderOutput, type Floats, onlyOutputs, type ReadOutputs } from "../encoder-output.js";
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import {
  type Answer,
  answers,
  type ChoiceScore,
  type ClassScore,
  choiceScores,
  classScores,
  type MaskFilling,
  maskFillings,
  type TokenClass,
  tokenClasses,
} from "./answers.js";
import {
  type CancelOptions,
  type EmbedFacts,
  type EmbedOptions,
  readEmbedOptions,
  type TruncationOptions,
} from "./embed-options.js";
import type { EncoderBase, LayerRope, RankedDocument } from "./encoder-base.js";
import { batchOf, byLength, groupAt } from "./groups.js";
import { Pace } from "./pace.js";
import type { Encoded, Framed, Tokenizer } from "./tokenizer.js";
import { truncated } from "./truncate.js";

/** Facts about a loaded model. */
export interface EncoderFacts extends EmbedFacts {
  config: Json;
  modelType: string;
  parameterCount: number;
  maxTokens: number;
  notes: readonly string[];
  ropes: readonly LayerRope[];
  /** Rows of the table of token types. */
  tokenTypes: number;
  lowerCase: boolean;
}

/** Passes of one call: from the indices of texts of the same length to their outputs. */
export interface Passes {
  /** Tokens of each text. */
  texts: readonly Encoded[];
  outputs: ReadOutputs;
  signal: AbortSignal | undefined;
  /** Called once for each group, in any order. */
  use(output: EncoderOutput, group: readonly number[]): void;
}

const text = (fn: string, name: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw refuse.type(fn, name, value, "a text");
};

function listOfTexts(fn: string, name: string, values: unknown): readonly string[] {
  if (!Array.isArray(values)) throw refuse.type(fn, name, values, "an array of texts");
  // A copy: the caller's list may change while it waits.
  return values.map((value, i) => text(fn, `${name}[${i}]`, value));
}

function count(fn: string, name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw refuse.range(fn, name, value, "a whole number of at least 1");
}

function head(fn: string, values: Floats | undefined, name: string): Floats {
  if (values === undefined) throw refuse.lacking(fn, `this checkpoint has no ${name} head`);
  return values;
}

export abstract class TextModel extends Handle implements EncoderBase {
  readonly #tokenizer: Tokenizer | undefined;
  readonly #facts: EncoderFacts;
  readonly config: Json;
  readonly modelType: string;
  readonly parameterCount: number;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly prompts: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly ropes: readonly LayerRope[];

  protected constructor(owner: Owner, facts: EncoderFacts, tokenizer: Tokenizer | undefined, free: () => void) {
    super(owner, "Encoder", free);
    this.#tokenizer = tokenizer;
    this.#facts = facts;
    this.config = Object.freeze(facts.config);
    this.modelType = facts.modelType;
    this.parameterCount = facts.parameterCount;
    this.dimensions = facts.dimensions;
    this.maxTokens = facts.maxTokens;
    this.prompts = Object.freeze(facts.prompts);
    this.notes = Object.freeze(facts.notes);
    this.ropes = Object.freeze(facts.ropes);
  }

  /** Runs all groups. Rejects with the signal's reason, and once the model has been disposed of. */
  protected abstract run(passes: Passes): Promise<void>;

  encode(first: string, pair?: string): Encoded {
    const fn = "encode";
    this.assertLive(fn);
    return this.#framed(fn, text(fn, "text", first), pair === undefined ? undefined : text(fn, "pair", pair)).encoded;
  }

  embed(texts: string, options?: EmbedOptions): Promise<Floats>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Floats[]>;
  async embed(texts: string | readonly string[], options: EmbedOptions = {}): Promise<Floats | Floats[]> {
    const fn = "embed";
    this.assertLive(fn);
    const all = typeof texts === "string" ? [texts] : listOfTexts(fn, "texts", texts);
    const { prompt, outputs, signal, onProgress, onTruncation } = readEmbedOptions(fn, options, this.#facts);
    signal?.throwIfAborted();
    const pairs = all.map((each) => [prompt + each] as const);
    const encoded = await this.#truncated(fn, pairs, { signal, onTruncation });
    const vectors: Floats[] = new Array(all.length);
    let done = 0;
    await this.run({
      texts: encoded.map((each) => each.encoded),
      outputs: { ...outputs, promptTokens: this.#promptTokens(fn, prompt) },
      signal,
      use({ sentenceEmbedding }, group) {
        const width = sentenceEmbedding!.length / group.length;
        group.forEach((index, i) => {
          vectors[index] = sentenceEmbedding!.slice(i * width, (i + 1) * width);
        });
        done += group.length;
        onProgress?.(done, all.length);
      },
    });
    return typeof texts === "string" ? vectors[0]! : vectors;
  }

  async rank(
    query: string,
    documents: readonly string[],
    options: CancelOptions & TruncationOptions & { topK?: number } = {},
  ): Promise<RankedDocument[]> {
    const fn = "rank";
    this.assertLive(fn);
    text(fn, "query", query);
    const all = listOfTexts(fn, "documents", documents);
    const { signal, onTruncation, topK = Math.max(1, all.length) } = optionsObject(fn, "options", options);
    count(fn, "topK", topK);
    signal?.throwIfAborted();
    const pairs = all.map((document) => [query, document] as const);
    const encoded = await this.#truncated(fn, pairs, { signal, onTruncation });
    const ranked: RankedDocument[] = [];
    await this.run({
      texts: encoded.map((each) => each.encoded),
      outputs: onlyOutputs({}),
      signal,
      use({ relevance }, group) {
        const scores = head(fn, relevance, "sequence classification");
        if (scores.length !== group.length)
          throw refuse.lacking(
            fn,
            `this checkpoint has ${scores.length / group.length} labels; a cross-encoder has one`,
          );
        group.forEach((index, i) => {
          ranked.push({ index, score: scores[i]! });
        });
      },
    });
    ranked.sort((a, b) => b.score - a.score || a.index - b.index);
    return ranked.slice(0, topK);
  }

  async fillMask(masked: string, options: CancelOptions & { topK?: number } = {}): Promise<MaskFilling[][]> {
    const fn = "fillMask";
    this.assertLive(fn);
    const { topK = 5, signal } = optionsObject(fn, "options", options);
    count(fn, "topK", topK);
    const { encoded } = truncated(this.#framed(fn, text(fn, "text", masked)), this.maxTokens);
    const tokenizer = this.#tokenizer!;
    if (!encoded.inputIds.some((id) => id === tokenizer.maskId))
      throw refuse.range(fn, "text", masked, `a text with ${tokenizer.maskToken} where a word is to be found`);
    const { logits } = await this.#one(encoded, onlyOutputs({ logits: true }), signal);
    return maskFillings(tokenizer, encoded.inputIds, head(fn, logits, "masked-language-model"), topK);
  }

  async classify(first: string, pair?: string, options: CancelOptions = {}): Promise<ClassScore[]> {
    const fn = "classify";
    const { encoded } = this.#short(fn, first, pair);
    const { signal } = optionsObject(fn, "options", options);
    const { classLogits } = await this.#one(encoded, onlyOutputs({}), signal);
    return classScores(head(fn, classLogits, "sequence classification"), this.config);
  }

  async classifyTokens(first: string, options: CancelOptions = {}): Promise<TokenClass[]> {
    const fn = "classifyTokens";
    const framed = this.#short(fn, first);
    const { signal } = optionsObject(fn, "options", options);
    const { tokenLogits } = await this.#one(framed.encoded, onlyOutputs({}), signal);
    return tokenClasses(framed, head(fn, tokenLogits, "token classification"), this.config);
  }

  async answer(
    question: string,
    context: string,
    options: CancelOptions & { topK?: number; maxTokens?: number } = {},
  ): Promise<Answer[]> {
    const fn = "answer";
    this.assertLive(fn);
    text(fn, "question", question);
    text(fn, "context", context);
    const { topK = 1, maxTokens = 15, signal } = optionsObject(fn, "options", options);
    count(fn, "topK", topK);
    count(fn, "maxTokens", maxTokens);
    const framed = this.#short(fn, question, context);
    const { startLogits, endLogits } = await this.#one(framed.encoded, onlyOutputs({}), signal);
    const [starts, ends] = [startLogits, endLogits].map((logits) => head(fn, logits, "question answering"));
    return answers(this.#tokenizer!, framed, starts!, ends!, topK, maxTokens);
  }

  async choose(prompt: string, choices: readonly string[], options: CancelOptions = {}): Promise<ChoiceScore[]> {
    const fn = "choose";
    this.assertLive(fn);
    text(fn, "prompt", prompt);
    if (!Array.isArray(choices) || choices.length === 0)
      throw refuse.type(fn, "choices", choices, "an array of at least one text");
    const all = listOfTexts(fn, "choices", choices);
    const { signal } = optionsObject(fn, "options", options);
    const pairs = all.map((choice) => [prompt, choice] as const);
    const encoded = await this.#truncated(fn, pairs, { signal });
    const logits = new Float32Array(all.length);
    await this.run({
      texts: encoded.map((each) => each.encoded),
      outputs: onlyOutputs({}),
      signal,
      use({ choiceLogits }, group) {
        const found = head(fn, choiceLogits, "multiple choice");
        group.forEach((index, i) => {
          logits[index] = found[i]!;
        });
      },
    });
    return choiceScores(all, logits);
  }

  /** A text or pair with its special tokens, as long as it is. */
  #framed(fn: string, first: string, pair?: string): Framed {
    const tokenizer = this.#tokenizer;
    if (tokenizer === undefined)
      throw refuse.lacking(fn, "this model was loaded without a tokenizer; it takes ids only");
    const { lowerCase, tokenTypes } = this.#facts;
    const cased = (each: string) => (lowerCase ? each.toLowerCase() : each);
    const framed = tokenizer.encode(fn, cased(first), pair === undefined ? undefined : cased(pair));
    // A tokenizer may number pairs for models whose types are one, or none.
    if (tokenTypes < 2) framed.encoded.tokenTypeIds.fill(0);
    return framed;
  }

  #short(fn: string, first: string, pair?: string): Framed {
    this.assertLive(fn);
    text(fn, "text", first);
    if (pair !== undefined) text(fn, "pair", pair);
    return truncated(this.#framed(fn, first, pair), this.maxTokens);
  }

  async #truncated(
    fn: string,
    pairs: readonly (readonly [first: string, pair?: string])[],
    { signal, onTruncation }: CancelOptions & TruncationOptions,
  ): Promise<Framed[]> {
    const pace = new Pace();
    const all: Framed[] = [];
    for (const [first, pair] of pairs) {
      await pace.breathe(signal);
      this.assertLive(fn);
      const framed = this.#framed(fn, first, pair);
      const tokens = framed.encoded.inputIds.length;
      if (tokens > this.maxTokens) onTruncation?.(all.length, tokens);
      all.push(truncated(framed, this.maxTokens));
    }
    return all;
  }

  /** Tokens of the prefix alone with the special ones before it, where pooling leaves them out. */
  #promptTokens(fn: string, prompt: string): number {
    if (this.#facts.includePrompt || prompt === "") return 0;
    return Math.min(this.maxTokens, this.#framed(fn, prompt).first[1]);
  }

  async #one(encoded: Encoded, outputs: ReadOutputs, signal: AbortSignal | undefined): Promise<EncoderOutput> {
    let found: EncoderOutput | undefined;
    signal?.throwIfAborted();
    await this.run({
      texts: [encoded],
      outputs,
      signal,
      use: (output) => {
        found = output;
      },
    });
    return found!;
  }
}

/** Calls for each group of texts of the same length; `most` says how many of a length there may be in one. */
export async function inGroups(
  texts: readonly Encoded[],
  most: (length: number) => number,
  work: (input: ReadInput, group: readonly number[]) => void | Promise<void>,
): Promise<void> {
  const order = byLength(texts);
  for (let at = 0; at < order.length; ) {
    const group = groupAt(texts, order, at, most(texts[order[at]!]!.inputIds.length));
    at += group.length;
    await work(batchOf(group.map((index) => texts[index]!)), group);
  }
}
