/**
 * Text to ids and back, by `@huggingface/tokenizers`: WordPiece, BPE and Unigram. The package holds this file and that
 * library together in tokenizers.js, which is loaded only when a model comes with a tokenizer.
 */
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import type { beginningsOf } from "./beginnings.js";
import type { Framed } from "./encoded.js";
import type { addOffsets } from "./offsets.js";
import { patternOf } from "./pattern.js";
import { isEnough } from "./truncate.js";
import { tokenizerOfVocabulary } from "./vocabulary.js";

/** Tokens as the vocabulary has them, in the order of their ids; "" for special and added ones. */
export interface Pieces {
  texts: readonly string[];
  /** BYTE_LEVEL: bytes as letters, as in GPT-2. BYTE_FALLBACK: "▁" for a space, <0x0A> for a byte, as in SentencePiece. */
  form: "BYTE_LEVEL" | "BYTE_FALLBACK";
}

export interface Tokenizer {
  /** The id of `maskToken`; undefined when the vocabulary has none. */
  readonly maskId: number | undefined;
  readonly maskToken: string;
  /** The token of words that are not in the vocabulary; undefined where there is none. */
  readonly unknownId: number | undefined;
  /**
   * Ids and tokens of a text, or of a text and its pair, with the special tokens around them. `fn` is the function that needs
   * them, for messages. Most tokenizers treat an empty `pair` as none. With `most`, tokens that `truncated(framed, most)`
   * leaves out may be missing.
   * @throws RangeError for a token that has no id, if the vocabulary has no unknown token.
   */
  encode(fn: string, text: string, pair?: string, most?: number): Framed;
  /** `exact` keeps spaces before punctuation that a tokenizer would remove. */
  decode(ids: number[], skipSpecialTokens: boolean, exact?: boolean): string;
  /** Texts of the tokens, by id; undefined if decoded text is not simply the texts of its tokens, joined. */
  pieces(): Pieces | undefined;
  /** Texts of the special tokens. */
  readonly special: readonly string[];
  idOf(token: string): number | undefined;
  /**
   * Ids of a text without special tokens around it. Special tokens in the text are found first. Then `shown` changes the parts
   * between them, and no special token is found in its results.
   */
  encodeBetween(fn: string, text: string, shown: (text: string) => string): number[];
  /** For a long text, loads the code with which `encode` takes the beginning of the text where `most` allows it. */
  loadBeginnings(text: string): Promise<void>;
  /** Loads the code of `addOffsets`, which is in a file of its own. */
  loadOffsets(): Promise<void>;
  /** Adds the offsets of tokens. `lowerCase`: the texts were in lower case when they were encoded. */
  addOffsets(
    fn: string,
    framed: Framed,
    texts: readonly [first: string, pair: string | undefined],
    lowerCase: boolean,
  ): void;
}

/** Characters of a text that is long: thousands of tokens. */
const LONG = 1 << 14;

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

/** Index at which `part` begins in `whole`, at `from` or later; -1 if it does not occur. */
function indexOfPart(whole: readonly number[], part: readonly number[], from: number): number {
  for (let at = from; at + part.length <= whole.length; at++) {
    if (part.every((id, i) => whole[at + i] === id)) return at;
  }
  return -1;
}

/** Random names in place of those of the special tokens, so that no text can contain one by intent. */
class Aliases {
  readonly #begin = `\u{f0000}${crypto.getRandomValues(new Uint32Array(4)).join("-")}-`;
  readonly #of: ReadonlyMap<string, string>;
  readonly #pattern: RegExp;

  constructor(special: readonly string[]) {
    this.#of = new Map(special.map((token, i) => [token, `${this.#begin}${i}\u{f0001}`]));
    this.#pattern = new RegExp(patternOf(special), "g");
  }

  of(token: string): string {
    return this.#of.get(token) ?? token;
  }

  /** The text with aliases in place of its special tokens, and with `shown` applied to the parts between them. */
  in(text: string, shown: (text: string) => string): string {
    const found = text.match(this.#pattern) ?? [];
    return text.split(this.#pattern).reduce((all, part, i) => all + this.of(found[i - 1]!) + shown(part));
  }
}

/** A tokenizer.json whose special tokens are named by aliases. Their former names are plain text to it. */
function renamed(json: TokenizerJson, aliases: Aliases): object {
  const { model, added_tokens: added } = json;
  const unknown = model.unk_token;
  const of = (token: string) => (token === unknown ? token : aliases.of(token));
  const vocab = Array.isArray(model.vocab)
    ? model.vocab.map(([token, ...rest]) => [of(token), ...rest])
    : Object.fromEntries(Object.entries(model.vocab).map(([token, id]) => [of(token), id]));
  return {
    ...json,
    added_tokens: added.map((token) => ({ ...token, content: aliases.of(token.content) })),
    model: { ...model, vocab },
    // No special tokens are put around the text.
    post_processor: null,
  };
}

interface DecoderStep {
  type?: unknown;
  pattern?: { String?: unknown };
}

/** The parts of a tokenizer.json that are read here. */
interface TokenizerJson {
  added_tokens: readonly { id: number; content: string; special?: boolean }[];
  decoder?: DecoderStep & { decoders?: readonly DecoderStep[] };
  model: {
    unk_token?: unknown;
    unk_id?: unknown;
    vocab: readonly [string, ...unknown[]][] | Readonly<Record<string, number>>;
  };
}

/** Added tokens that tokenizer.json or tokenizer_config.json calls special. */
function specialIn(json: TokenizerJson, config: Json): string[] {
  const { additional_special_tokens: more = [], added_tokens_decoder: decoder = {} } = config;
  const listed = Object.values(decoder as object).filter((token) => (token as Json | null)?.special === true);
  const named = Object.entries(config).filter(([key]) => key.endsWith("_token"));
  const all = [...named.map(([, token]) => token), ...(Array.isArray(more) ? more : []), ...listed].map(nameOf);
  const called = new Set(all);
  return json.added_tokens
    .filter(({ content, special }) => content !== "" && (special || called.has(content)))
    .map(({ content }) => content);
}

class LibraryTokenizer implements Tokenizer {
  readonly #tokenizer: HuggingFaceTokenizer;
  readonly #json: TokenizerJson;
  readonly #make: Make;
  readonly special: readonly string[];
  #addOffsets: typeof addOffsets | undefined;
  #beginningsOf: ReturnType<typeof beginningsOf> | undefined;
  #between: { tokenizer: HuggingFaceTokenizer; aliases: Aliases } | undefined;
  readonly #single: Frame;
  readonly #pair: Frame;
  /** The text whose length was asked for last, and its length: all pairs of one ranking have the same query. */
  #last = { text: "", length: 0 };
  readonly maskToken: string;
  readonly maskId: number | undefined;
  readonly unknownId: number | undefined;

  constructor(make: Make, json: TokenizerJson, config: Json) {
    const tokenizer = make(json);
    this.#tokenizer = tokenizer;
    this.#make = make;
    this.#json = json;
    this.special = specialIn(json, config);
    const candidates = [nameOf(config.mask_token), "[MASK]", "<mask>"].filter((token) => token !== undefined);
    this.maskToken = candidates.find((token) => tokenizer.token_to_id(token) !== undefined) ?? "[MASK]";
    this.maskId = tokenizer.token_to_id(this.maskToken);
    const { unk_token: unknown, unk_id: id } = json.model;
    this.unknownId = typeof id === "number" ? id : this.idOf(nameOf(unknown ?? config.unk_token) ?? "");
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

  encode(fn: string, text: string, pair?: string, most?: number): Framed {
    if (most !== undefined) {
      for (const beginning of this.#beginningsOf?.(pair ?? text, most) ?? []) {
        const framed = pair === undefined ? this.#encode(fn, beginning) : this.#encode(fn, text, beginning);
        if (isEnough(framed, most)) return framed;
      }
    }
    return this.#encode(fn, text, pair);
  }

  #encode(fn: string, text: string, pair?: string): Framed {
    const { ids, attention_mask, tokens, token_type_ids } = readable(fn, "tokenizer", () =>
      this.#tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true }),
    );
    checkKnown(fn, ids, tokens);
    const encoded = {
      inputIds: ids,
      // Post-processors without types give undefined here, though the library's declaration says number[].
      tokenTypeIds: (token_type_ids as number[] | undefined) ?? ids.map(() => 0),
      attentionMask: attention_mask,
      tokens,
    };
    // The library treats an empty second text as none.
    if (pair === undefined || pair === "") {
      const { before, after } = this.#single;
      return { encoded, first: [before, ids.length - after] };
    }
    const { before, between, after } = this.#pair;
    const end = before + this.#length(text);
    return { encoded, first: [before, end], second: [end + between, ids.length - after] };
  }

  decode(ids: number[], skipSpecialTokens: boolean, exact = false): string {
    if (ids.length === 0) return "";
    return readable("decode", "tokenizer", () =>
      this.#tokenizer.decode(ids, {
        skip_special_tokens: skipSpecialTokens,
        ...(exact && { clean_up_tokenization_spaces: false }),
      }),
    );
  }

  pieces(): Pieces | undefined {
    const { model, added_tokens: added, decoder } = this.#json;
    const steps = decoder?.decoders ?? [decoder];
    const has = (type: string) => steps.some((step) => step?.type === type);
    const isSpaced = has("Metaspace") || steps.some((step) => step?.pattern?.String === "▁");
    if (!has("ByteLevel") && !isSpaced) return undefined;
    const texts: string[] = [];
    const put = (text: string, id: number) => {
      if (!(id < MOST_TOKENS)) return;
      while (texts.length <= id) texts.push("");
      texts[id] = text;
    };
    const listed = Array.isArray(model.vocab)
      ? model.vocab.map(([text], id) => [text, id] as const)
      : Object.entries(model.vocab);
    for (const [text, id] of listed) put(text, id);
    for (const { id } of added) put("", id);
    return { texts, form: has("ByteLevel") ? "BYTE_LEVEL" : "BYTE_FALLBACK" };
  }

  idOf(token: string): number | undefined {
    return this.#tokenizer.token_to_id(token);
  }

  encodeBetween(fn: string, text: string, shown: (text: string) => string): number[] {
    if (this.#between === undefined) {
      const aliases = new Aliases(this.special);
      const tokenizer = readable(fn, "tokenizer", () => this.#make(renamed(this.#json, aliases)));
      this.#between = { tokenizer, aliases };
    }
    const { tokenizer, aliases } = this.#between;
    const { ids, tokens } = readable(fn, "tokenizer", () =>
      tokenizer.encode(aliases.in(text, shown), { add_special_tokens: false }),
    );
    checkKnown(fn, ids, tokens);
    return ids;
  }

  async loadBeginnings(text: string): Promise<void> {
    if (text.length < LONG) return;
    this.#beginningsOf ??= (await import("./beginnings.js")).beginningsOf(this.#json as unknown as Json);
  }

  async loadOffsets(): Promise<void> {
    this.#addOffsets ??= (await import("./offsets.js")).addOffsets;
  }

  addOffsets(
    fn: string,
    framed: Framed,
    texts: readonly [first: string, pair: string | undefined],
    lowerCase: boolean,
  ): void {
    if (this.#addOffsets === undefined)
      throw refuse.range(fn, "offsets", true, "false, unless `encoder` was given `offsets: true` as well");
    this.#addOffsets(fn, this.#tokenizer, this.#json, framed, texts, lowerCase);
  }

  #plain(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  #length(text: string): number {
    if (this.#last.text !== text) this.#last = { text, length: this.#plain(text).length };
    return this.#last.length;
  }
}

/** Refuses tokens without an id: the library gives undefined for those that it does not know. */
function checkKnown(fn: string, ids: readonly unknown[], tokens: readonly string[]): void {
  const unknown = ids.findIndex((id) => !Number.isInteger(id));
  if (unknown < 0) return;
  const allowed = "text of the vocabulary alone: this tokenizer has no token for what is not in it";
  throw refuse.range(fn, "text", tokens[unknown], allowed);
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

/** Limit of ids: a file may name any number, and `pieces` makes an array as long as the largest. */
const MOST_TOKENS = 1 << 21;

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

/** Parts as Hugging Face's own reader takes them where they are missing. The library refuses such a file. */
const LEFT_OUT = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null };

const given = (json: object) => Object.fromEntries(Object.entries(json).filter(([, part]) => part != null));

/** Limit of `max_input_chars_per_word`: WordPiece's time grows with the cube of a word's length. BERT's files say 100. */
const LONGEST_WORD = 1000;

function checkWords(fn: string, argument: string, { model }: { model?: Json }): void {
  const { type, max_input_chars_per_word: most = 100 } = model ?? {};
  if (type === "WordPiece" && !((most as number) <= LONGEST_WORD))
    throw refuse.range(fn, `${argument}: max_input_chars_per_word`, most, `up to ${LONGEST_WORD}`);
}

type Make = (json: object) => HuggingFaceTokenizer;

/** Limit of the characters of a file without its vocabulary, for `isBound`. BERT's file has 500. */
const SHORT = 2048;

/** True if a file has no steps but BERT's. Their time is bounded by the length of a text, so they need no limits. */
function isBound({ normalizer, pre_tokenizer, decoder, post_processor, model }: Json): boolean {
  const { vocab: _, ...affixes } = (model ?? {}) as Json;
  const steps = [normalizer, pre_tokenizer, decoder] as ({ type?: unknown } | null | undefined)[];
  return (
    steps.every((step) => !step || /^(Bert|WordPiece)/.test(String(step.type))) &&
    JSON.stringify([steps, post_processor, affixes]).length < SHORT
  );
}

/** Loads a tokenizer. Rejects with a TypeError if the source cannot be read. */
export type LoadTokenizer = (source: TokenizerSource) => Promise<Tokenizer>;

export async function loadTokenizer(source: TokenizerSource): Promise<Tokenizer> {
  const { fn, argument, config = {} } = source;
  const json: Json = { ...LEFT_OUT, ...given(parse(source)) };
  checkWords(fn, argument, json);
  const plain: Make = (each) => new HuggingFaceTokenizer(each, { ...config });
  const limited = isBound(json) ? undefined : (await import("./tokenizer-limits.js")).limitedTokenizer;
  const make: Make = limited === undefined ? plain : (each) => limited(plain, each as Json);
  return readable(fn, argument, () => new LibraryTokenizer(make, json as unknown as TokenizerJson, config));
}

/** Runs `read`, and makes its errors (the library's, and those of limits) name the function and the file. */
function readable<T>(fn: string, argument: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refuse.malformed(fn, argument, `is not a tokenizer.json that can be read: ${why}`, cause);
  }
}
