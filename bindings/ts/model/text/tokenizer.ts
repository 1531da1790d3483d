/**
 * Text to ids and back, by `@huggingface/tokenizers`: WordPiece, BPE and Unigram. The package holds this file and that
 * library in a file of their own, tokenizers.js, which is loaded only when a model comes with a tokenizer.
 */
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import { tokenizerOfVocabulary } from "./vocabulary.js";

export interface Encoded {
  inputIds: number[];
  /** 0 for the first text, 1 for the second; all 0 for a model without token types. */
  tokenTypeIds: number[];
  /** All 1: nothing is padded. */
  attentionMask: number[];
  tokens: string[];
}

/** Ids of a text: the first, and the one behind the last. */
export type Span = readonly [begin: number, end: number];

/** A text or pair with the special tokens around it. */
export interface Framed {
  encoded: Encoded;
  first: Span;
  /** The second text, if this is a pair. */
  second?: Span;
}

export interface Tokenizer {
  /** Undefined when the vocabulary has none. */
  readonly maskId: number | undefined;
  readonly maskToken: string;
  /**
   * `pair` may be empty, but then most tokenizers frame the text as one. `fn` is the function that needs the ids.
   * @throws RangeError for a token that has no id, where no other stands for it.
   */
  encode(fn: string, text: string, pair?: string): Framed;
  decode(ids: number[], skipSpecialTokens: boolean): string;
}

/** How many special tokens stand around texts. */
interface Frame {
  before: number;
  /** Between a text and its pair. */
  between: number;
  after: number;
}

const nameOf = (token: unknown): string | undefined => {
  const text = typeof token === "object" && token !== null ? (token as { content?: unknown }).content : token;
  return typeof text === "string" ? text : undefined;
};

/** Index at which `part` begins in `whole`, from `from` on; -1: nowhere. */
function indexOfPart(whole: readonly number[], part: readonly number[], from: number): number {
  for (let at = from; at + part.length <= whole.length; at++) {
    if (part.every((id, i) => whole[at + i] === id)) return at;
  }
  return -1;
}

class LibraryTokenizer implements Tokenizer {
  readonly #tokenizer: HuggingFaceTokenizer;
  readonly #single: Frame;
  readonly #pair: Frame;
  /** The text whose length was asked for last: the query of every pair that is ranked. */
  #last = { text: "", length: 0 };
  readonly maskToken: string;
  readonly maskId: number | undefined;

  constructor(tokenizer: HuggingFaceTokenizer, config: Json) {
    this.#tokenizer = tokenizer;
    const candidates = [nameOf(config.mask_token), "[MASK]", "<mask>"].filter((token) => token !== undefined);
    this.maskToken = candidates.find((token) => tokenizer.token_to_id(token) !== undefined) ?? "[MASK]";
    this.maskId = tokenizer.token_to_id(this.maskToken);
    const alone = this.#plain("a");
    const single = tokenizer.encode("a").ids;
    const before = Math.max(0, indexOfPart(single, alone, 0));
    this.#single = { before, between: 0, after: single.length - before - alone.length };
    const pair = tokenizer.encode("a", { text_pair: "a" }).ids;
    const start = Math.max(0, indexOfPart(pair, alone, 0));
    const second = Math.max(start + alone.length, indexOfPart(pair, alone, start + alone.length));
    this.#pair = {
      before: start,
      between: second - start - alone.length,
      after: pair.length - second - alone.length,
    };
  }

  encode(fn: string, text: string, pair?: string): Framed {
    const { ids, attention_mask, tokens, token_type_ids } = this.#tokenizer.encode(text, {
      text_pair: pair ?? null,
      return_token_type_ids: true,
    });
    // The library gives such a token undefined for an id.
    const unknown = ids.findIndex((id: unknown) => !Number.isInteger(id));
    if (unknown >= 0) {
      const allowed = "text of the vocabulary alone: this tokenizer has no token for what is not in it";
      throw refuse.range(fn, "text", tokens[unknown], allowed);
    }
    const encoded = {
      inputIds: ids,
      // Post-processors that know no types give none, whatever the declaration says.
      tokenTypeIds: (token_type_ids as number[] | undefined) ?? ids.map(() => 0),
      attentionMask: attention_mask,
      tokens,
    };
    // The library takes an empty second text for none.
    if (pair === undefined || pair === "") {
      const { before, after } = this.#single;
      return { encoded, first: [before, ids.length - after] };
    }
    const { before, between, after } = this.#pair;
    const end = before + this.#length(text);
    return { encoded, first: [before, end], second: [end + between, ids.length - after] };
  }

  decode(ids: number[], skipSpecialTokens: boolean): string {
    if (ids.length === 0) return "";
    return this.#tokenizer.decode(ids, { skip_special_tokens: skipSpecialTokens });
  }

  #plain(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  #length(text: string): number {
    if (this.#last.text !== text) this.#last = { text, length: this.#plain(text).length };
    return this.#last.length;
  }
}

/** The source of a tokenizer. */
export interface TokenizerSource {
  fn: string;
  /** Its name in messages: `tokenizer`, or the name of the file. */
  argument: string;
  /** tokenizer.json, parsed or as text, or the text of vocab.txt. */
  source: unknown;
  /** tokenizer_config.json. */
  config?: Json | undefined;
  /** `model_type` of config.json, which a vocab.txt does not say. */
  modelType?: unknown;
}

function parse({ fn, argument, source, config = {}, modelType }: TokenizerSource): object {
  if (typeof source === "object" && source !== null) return source;
  if (typeof source !== "string")
    throw refuse.type(fn, argument, source, "tokenizer.json as an object or text, or vocab.txt as text");
  if (!/^\s*\{/.test(source)) return tokenizerOfVocabulary(fn, argument, source, config, modelType);
  try {
    return JSON.parse(source) as object;
  } catch (cause) {
    throw refuse.malformed(fn, argument, "begins like tokenizer.json but is not JSON", cause);
  }
}

/** Rejects with a TypeError when it cannot be read. */
export type LoadTokenizer = (source: TokenizerSource) => Promise<Tokenizer>;

export async function loadTokenizer(source: TokenizerSource): Promise<Tokenizer> {
  const json = parse(source);
  try {
    return new LibraryTokenizer(new HuggingFaceTokenizer(json, { ...source.config }), source.config ?? {});
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refuse.malformed(source.fn, source.argument, `is not a tokenizer.json that can be read: ${why}`, cause);
  }
}
