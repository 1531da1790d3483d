/** Text in, answers out: everything about words that an encoder does, on passes that a subclass runs. */
import { optionsObject } from "../../module/errors.js";
import { Handle, type Owner } from "../../module/handle.js";
import type { ReadInput } from "../encoder-input.js";
import { type EncoderOutput, type Floats, onlyOutputs, type ReadOutputs } from "../encoder-output.js";
import type { Json } from "../files/read.js";
import { type Gives, needs } from "../heads/gives.js";
import type { EncoderFacts, Head, HeadHost, Passes } from "../heads/host.js";
import type { RankOptions, SideOptions, SparseVector, TokenVectors, ZeroShotOptions } from "../heads/surface.js";
import { loadHeads } from "../load-heads.js";
import { flag, knownOptions } from "../options.js";
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
  type EmbedEachOptions,
  type EmbedOptions,
  readEmbedOptions,
  type TruncationOptions,
} from "./embed-options.js";
import type { Encoded, Framed } from "./encoded.js";
import type { EncoderBase, LayerRope, OffsetsOption, RankedDocument } from "./encoder-base.js";
import { batchOf, byLength, groupAt } from "./groups.js";
import { Pace } from "./pace.js";
import { splitText, type TextPiece } from "./split.js";
import type { Tokenizer } from "./tokenizer.js";
import { truncated } from "./truncate.js";

/** Tokens of one batch of `embedEach`: enough to keep threads and workers busy, and soon done. */
const TOKENS_IN_BATCH = 4096;

const text = (fn: string, name: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw refuse.type(fn, name, value, "a text");
};

function listOfTexts(fn: string, name: string, values: unknown, allowed = "an array of texts"): readonly string[] {
  if (!Array.isArray(values)) throw refuse.type(fn, name, values, allowed);
  // A copy: the caller's list may change while it waits.
  return Array.from(values, (value, i) => text(fn, `${name}[${i}]`, value));
}

/** A text is a list of one. */
const oneOrMore = (fn: string, texts: unknown): readonly string[] =>
  listOfTexts(fn, "texts", typeof texts === "string" ? [texts] : texts, "a text or an array of texts");

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
  readonly gives: readonly Gives[];

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
    this.gives = Object.freeze(facts.gives);
  }

  /** The smallest number of tokens that `run` takes of a text. */
  protected get fewestTokens(): number {
    return 1;
  }

  /** Runs all groups. Rejects with the signal's reason, and once the model has been disposed of. */
  protected abstract run(passes: Passes): Promise<void>;

  /** The outputs that a pass must have for those that were asked for. */
  protected needed(fn: string, outputs: ReadOutputs): ReadOutputs {
    for (const kind of ["tokens", "sparse"] as const) if (outputs[kind]) needs(fn, this.gives, kind);
    return outputs.sparse ? { ...outputs, logits: true } : outputs;
  }

  /** The output of a pass with those of the head. */
  protected completed(output: EncoderOutput, input: ReadInput, { tokens, sparse, logits }: ReadOutputs): EncoderOutput {
    if (!tokens && !sparse) return output;
    const { attentionMask, batch, sequence } = input;
    output[tokens ? "tokenVectors" : "sparse"] = this.#facts.head!.outputOf(output, attentionMask, batch, sequence);
    if (!logits) delete output.logits;
    return output;
  }

  /** The parts of this model that heads work with. */
  get #host(): HeadHost {
    return {
      facts: this.#facts,
      maxTokens: this.maxTokens,
      tokenizer: (fn) => this.#words(fn),
      truncated: (...args) => this.#truncated(...args),
      run: (fn, passes) => this.#run(fn, passes),
      embed: (texts, options) => this.embed(texts, options),
    };
  }

  encode(first: string, pair?: string, options: OffsetsOption = {}): Encoded {
    const fn = "encode";
    this.assertLive(fn);
    text(fn, "text", first);
    if (pair !== undefined) text(fn, "pair", pair);
    const { offsets = false } = knownOptions(fn, options, ["offsets"]);
    return this.#framed(fn, first, pair, undefined, flag(fn, "offsets", offsets)).encoded;
  }

  decode(ids: ArrayLike<number>, options: { skipSpecialTokens?: boolean | undefined } = {}): string {
    const fn = "decode";
    this.assertLive(fn);
    const { skipSpecialTokens = true } = knownOptions(fn, options, ["skipSpecialTokens"]);
    flag(fn, "skipSpecialTokens", skipSpecialTokens);
    if (typeof ids !== "object" || ids === null || typeof ids.length !== "number")
      throw refuse.type(fn, "ids", ids, "an array of token ids");
    const list = Array.from(ids);
    const wrong = list.findIndex((id) => !(Number.isInteger(id) && id >= 0));
    if (wrong >= 0) throw refuse.range(fn, `ids[${wrong}]`, list[wrong], "a token id");
    return this.#words(fn).decode(list, skipSpecialTokens);
  }

  countTokens(counted: string): number {
    const fn = "countTokens";
    this.assertLive(fn);
    return this.#framed(fn, text(fn, "text", counted)).encoded.inputIds.length;
  }

  splitText(long: string, options: { maxTokens?: number | undefined; overlap?: number | undefined } = {}): TextPiece[] {
    const fn = "splitText";
    this.assertLive(fn);
    text(fn, "text", long);
    const { maxTokens = this.maxTokens, overlap = 0 } = knownOptions(fn, options, ["maxTokens", "overlap"]);
    const special = this.countTokens("a") - this.#plainLength(fn, "a");
    const most = maxTokens - special;
    if (!(most >= 1)) throw refuse.range(fn, "maxTokens", maxTokens, `a number of at least ${special + 1}`);
    if (!(Number.isInteger(overlap) && overlap >= 0 && overlap < most))
      throw refuse.range(fn, "overlap", overlap, `a whole number from 0 to ${most - 1}`);
    return splitText(long, (each) => this.#plainLength(fn, each), most, overlap);
  }

  /** Tokens of a text without the special ones around it. */
  #plainLength(fn: string, each: string): number {
    const { first } = this.#framed(fn, each);
    return first[1] - first[0];
  }

  embed(texts: string, options?: EmbedOptions): Promise<Floats>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Floats[]>;
  async embed(texts: string | readonly string[], options: EmbedOptions = {}): Promise<Floats | Floats[]> {
    const fn = "embed";
    this.assertLive(fn);
    needs(fn, this.gives, "vectors");
    const all = oneOrMore(fn, texts);
    const { prompt, outputs, signal, onProgress, onTruncation } = readEmbedOptions(fn, options, this.#facts);
    signal?.throwIfAborted();
    const pairs = all.map((each) => [prompt + each] as const);
    const encoded = await this.#truncated(fn, pairs, { signal, onTruncation });
    const vectors: Floats[] = new Array(all.length);
    let done = 0;
    await this.#run(fn, {
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

  async *embedEach(
    texts: Iterable<string> | AsyncIterable<string>,
    options: EmbedEachOptions = {},
  ): AsyncGenerator<Floats, undefined, undefined> {
    const fn = "embedEach";
    this.assertLive(fn);
    needs(fn, this.gives, "vectors");
    const { onProgress, onTruncation, ...others } = optionsObject(fn, "options", options);
    if (typeof texts !== "object" || texts === null || !(Symbol.iterator in texts || Symbol.asyncIterator in texts))
      throw refuse.type(fn, "texts", texts, "an iterable of texts");
    let done = 0;
    for await (const batch of this.#batches(fn, texts, others.signal)) {
      const first = done;
      const report = onTruncation && ((index: number, tokens: number) => onTruncation(first + index, tokens));
      const vectors = await this.embed(batch, { ...others, onTruncation: report });
      done += batch.length;
      onProgress?.(done);
      yield* vectors;
    }
    return undefined;
  }

  /** Texts in batches of about TOKENS_IN_BATCH tokens. */
  async *#batches(
    fn: string,
    texts: Iterable<string> | AsyncIterable<string>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<string[], undefined, undefined> {
    let batch: string[] = [];
    let tokens = 0;
    let index = 0;
    for await (const each of texts) {
      signal?.throwIfAborted();
      batch.push(text(fn, `texts[${index++}]`, each));
      await this.#words(fn).loadBeginnings(each);
      tokens += Math.min(this.maxTokens, this.#framed(fn, each, undefined, this.maxTokens).encoded.inputIds.length);
      if (tokens < TOKENS_IN_BATCH) continue;
      yield batch;
      [batch, tokens] = [[], 0];
    }
    if (batch.length > 0) yield batch;
    return undefined;
  }

  embedTokens(text: string, options?: SideOptions): Promise<TokenVectors>;
  embedTokens(texts: readonly string[], options?: SideOptions): Promise<TokenVectors[]>;
  async embedTokens(texts: string | readonly string[], options: SideOptions = {}) {
    return this.#byHead<TokenVectors>("embedTokens", "tokens", texts, options);
  }

  embedSparse(text: string, options?: SideOptions): Promise<SparseVector>;
  embedSparse(texts: readonly string[], options?: SideOptions): Promise<SparseVector[]>;
  async embedSparse(texts: string | readonly string[], options: SideOptions = {}) {
    return this.#byHead<SparseVector>("embedSparse", "sparse", texts, options);
  }

  async #byHead<Vector>(
    fn: string,
    kind: "tokens" | "sparse",
    texts: string | readonly string[],
    options: SideOptions,
  ): Promise<Vector | Vector[]> {
    this.assertLive(fn);
    needs(fn, this.gives, kind);
    const all = oneOrMore(fn, texts);
    const { as = "document", signal } = knownOptions(fn, options, ["as", "signal"]);
    if (as !== "query" && as !== "document") throw refuse.range(fn, "as", as, '"query" or "document"');
    signal?.throwIfAborted();
    const found = await (this.#facts.head as Head<Vector>).embed(this.#host, fn, all, as, { signal });
    return typeof texts === "string" ? found[0]! : found;
  }

  async rank(query: string, documents: readonly string[], options: RankOptions = {}): Promise<RankedDocument[]> {
    const fn = "rank";
    this.assertLive(fn);
    text(fn, "query", query);
    const all = listOfTexts(fn, "documents", documents);
    const read = { ...knownOptions(fn, options, ["signal", "onTruncation", "topK", "instruction"]) };
    if (read.topK !== undefined) count(fn, "topK", read.topK);
    if (read.instruction !== undefined) text(fn, "instruction", read.instruction);
    read.signal?.throwIfAborted();
    return (await loadHeads()).rank(this.#host, fn, query, all, read);
  }

  async classifyInto(first: string, labels: readonly string[], options: ZeroShotOptions = {}): Promise<ClassScore[]> {
    const fn = "classifyInto";
    this.assertLive(fn);
    needs(fn, this.gives, "classes");
    text(fn, "text", first);
    const all = listOfTexts(fn, "labels", labels);
    const read = { ...knownOptions(fn, options, ["signal", "hypothesis", "multiple"]) };
    read.signal?.throwIfAborted();
    return (await loadHeads()).classifyInto(this.#host, fn, first, all, read);
  }

  async fillMask(
    masked: string,
    options: CancelOptions & { topK?: number | undefined } = {},
  ): Promise<MaskFilling[][]> {
    const fn = "fillMask";
    this.assertLive(fn);
    const { topK = 5, signal } = knownOptions(fn, options, ["signal", "topK"]);
    count(fn, "topK", topK);
    const { encoded } = await this.#short(fn, masked);
    const tokenizer = this.#tokenizer!;
    if (!encoded.inputIds.some((id) => id === tokenizer.maskId))
      throw refuse.range(fn, "text", masked, `a text with ${tokenizer.maskToken} where a word is to be found`);
    const { logits } = await this.#one(fn, encoded, onlyOutputs({ logits: true }), signal);
    return maskFillings(tokenizer, encoded.inputIds, head(fn, logits, "masked-language-model"), topK);
  }

  async classify(first: string, pair?: string, options: CancelOptions = {}): Promise<ClassScore[]> {
    const fn = "classify";
    const { encoded } = await this.#short(fn, first, pair);
    const { signal } = knownOptions(fn, options, ["signal"]);
    const { classLogits } = await this.#one(fn, encoded, onlyOutputs({}), signal);
    // A causal reranker has one logit, of pairs that its template writes.
    const logits = this.gives.includes("classes") ? classLogits : undefined;
    return classScores(head(fn, logits, "sequence classification"), this.config);
  }

  async classifyTokens(first: string, options: CancelOptions & OffsetsOption = {}): Promise<TokenClass[]> {
    const fn = "classifyTokens";
    const { offsets = false, signal } = knownOptions(fn, options, ["signal", "offsets"]);
    const framed = await this.#short(fn, first, undefined, offsets);
    const { tokenLogits } = await this.#one(fn, framed.encoded, onlyOutputs({}), signal);
    return tokenClasses(framed, head(fn, tokenLogits, "token classification"), this.config);
  }

  async answer(
    question: string,
    context: string,
    options: CancelOptions & OffsetsOption & { topK?: number | undefined; maxTokens?: number | undefined } = {},
  ): Promise<Answer[]> {
    const fn = "answer";
    this.assertLive(fn);
    text(fn, "question", question);
    text(fn, "context", context);
    const known = knownOptions(fn, options, ["signal", "topK", "maxTokens", "offsets"]);
    const { topK = 1, maxTokens = 15, offsets = false, signal } = known;
    count(fn, "topK", topK);
    count(fn, "maxTokens", maxTokens);
    const framed = await this.#short(fn, question, context, offsets);
    const { startLogits, endLogits } = await this.#one(fn, framed.encoded, onlyOutputs({}), signal);
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
    const { signal } = knownOptions(fn, options, ["signal"]);
    const pairs = all.map((choice) => [prompt, choice] as const);
    const encoded = await this.#truncated(fn, pairs, { signal });
    const logits = new Float32Array(all.length);
    await this.#run(fn, {
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
  #words(fn: string): Tokenizer {
    if (this.#tokenizer !== undefined) return this.#tokenizer;
    throw refuse.lacking(
      fn,
      "this model was loaded without a tokenizer, so it takes ids only; put tokenizer.json beside its weights",
    );
  }

  /** With `most`, tokens that `truncated` leaves out may be missing. */
  #framed(fn: string, first: string, pair?: string, most?: number, offsets = false): Framed {
    const tokenizer = this.#words(fn);
    const { lowerCase, tokenTypes, frame } = this.#facts;
    const cased = (each: string) => (lowerCase ? each.toLowerCase() : each);
    const framed = tokenizer.encode(fn, cased(first), pair === undefined ? undefined : cased(pair), most);
    // A tokenizer may number pairs for models whose types are one, or none.
    if (tokenTypes < 2) framed.encoded.tokenTypeIds.fill(0);
    if (offsets) tokenizer.addOffsets(fn, framed, [first, pair], lowerCase);
    return frame?.(framed) ?? framed;
  }

  async #short(fn: string, first: string, pair?: string, offsets = false): Promise<Framed> {
    this.assertLive(fn);
    text(fn, "text", first);
    if (pair !== undefined) text(fn, "pair", pair);
    const tokenizer = this.#words(fn);
    await (flag(fn, "offsets", offsets) ? tokenizer.loadOffsets() : tokenizer.loadBeginnings(pair ?? first));
    // All of a text is looked at for its offsets.
    const most = offsets ? undefined : this.maxTokens;
    return this.#cut(fn, first, this.#framed(fn, first, pair, most, offsets), this.maxTokens);
  }

  async #truncated(
    fn: string,
    pairs: readonly (readonly [first: string, pair?: string])[],
    { signal, onTruncation }: CancelOptions & TruncationOptions,
    most = this.maxTokens,
  ): Promise<Framed[]> {
    const pace = new Pace();
    const all: Framed[] = [];
    for (const [first, pair] of pairs) {
      await pace.breathe(signal);
      this.assertLive(fn);
      await this.#words(fn).loadBeginnings(pair ?? first);
      // Who asks how many tokens there are is told of all.
      const framed = this.#framed(fn, first, pair, onTruncation ? undefined : most);
      const tokens = framed.encoded.inputIds.length;
      if (tokens > most) onTruncation?.(all.length, tokens);
      all.push(this.#cut(fn, first, framed, most));
    }
    return all;
  }

  /** At most `most` tokens. @throws RangeError where there are too few to run on. */
  #cut(fn: string, first: string, framed: Framed, most: number): Framed {
    if (framed.encoded.inputIds.length >= this.fewestTokens) return truncated(framed, most);
    throw refuse.range(fn, "text", first, "a text of at least one token; the tokenizer of this model makes none of it");
  }

  /** @throws RangeError for a token whose id is not one of the model's: a tokenizer may come from another. */
  #run(fn: string, passes: Passes): Promise<void> {
    const { vocabulary } = this.#facts;
    for (const { inputIds, tokens } of passes.texts) {
      const at = inputIds.findIndex((id) => !(id >= 0 && id < vocabulary));
      if (at < 0) continue;
      // Nothing names the ids that late interaction adds to a query, and those that a template writes.
      const of = tokens.length === inputIds.length ? ` of ${JSON.stringify(tokens[at])}` : "";
      const name = `tokenizer: id${of}`;
      throw refuse.range(fn, name, inputIds[at], `0 to ${vocabulary - 1}, the words of this model`);
    }
    return this.run(passes);
  }

  /** Tokens of the prefix alone with the special ones before it, where pooling leaves them out. */
  #promptTokens(fn: string, prompt: string): number {
    if (this.#facts.includePrompt || prompt === "") return 0;
    return Math.min(this.maxTokens, this.#framed(fn, prompt).first[1]);
  }

  async #one(
    fn: string,
    encoded: Encoded,
    outputs: ReadOutputs,
    signal: AbortSignal | undefined,
  ): Promise<EncoderOutput> {
    let found: EncoderOutput | undefined;
    signal?.throwIfAborted();
    await this.#run(fn, {
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
