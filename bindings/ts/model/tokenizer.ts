/**
 * Text to ids and back, by `@huggingface/tokenizers`, which is loaded only when a tokenizer is given: either a
 * tokenizer.json, or the lines of a BERT vocab.txt, for which the same file is made in memory. The package holds that
 * library in a file of its own, tokenizers.js.
 */
import type { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { refusal } from "../module/errors.js";

export interface Encoded {
  inputIds: number[];
  /** 0 for the first text, 1 for the second. */
  tokenTypeIds: number[];
  /** All 1: nothing is padded. */
  attentionMask: number[];
  tokens: string[];
}

export interface Tokenizer {
  /** Undefined when the vocabulary has none. */
  readonly maskId: number | undefined;
  readonly maskToken: string;
  /** Whether it is a token that stands around texts, and for none of their words: [CLS], [SEP] or [PAD]. */
  frames(id: number): boolean;
  encode(text: string, pair?: string): Encoded;
  decode(ids: number[], skipSpecialTokens: boolean): string;
}

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/** The tokenizer.json of a BERT WordPiece vocabulary, one token per line, the id being the number of the line. */
function fromVocabulary(lines: string): object {
  const tokens = lines.split(/\r?\n/);
  while (tokens.at(-1) === "") tokens.pop();
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const missing = SPECIAL.filter((token) => vocab[token] === undefined);
  if (missing.length > 0) {
    const found = `${tokens.length} lines without ${missing.join(", ")}`;
    throw new TypeError(
      `roformer: \`tokenizer\` is a text of ${found}; allowed: tokenizer.json, or all lines of vocab.txt`,
    );
  }
  const special = (token: string, type: number) => ({ SpecialToken: { id: token, type_id: type } });
  const sequence = (id: string, type: number) => ({ Sequence: { id, type_id: type } });
  const frame = (token: string) => ({ id: token, ids: [vocab[token]], tokens: [token] });
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content) => ({
      id: vocab[content],
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      // vocab.txt does not say, but a vocabulary of lower-cased text has no capitals.
      lowercase: !tokens.some((token) => !/^\[.*\]$/.test(token) && /\p{Lu}/u.test(token)),
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
      pair: [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1), special("[SEP]", 1)],
      special_tokens: { "[CLS]": frame("[CLS]"), "[SEP]": frame("[SEP]") },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

function parse(source: object | string): object {
  if (typeof source !== "string") return source;
  if (!/^\s*\{/.test(source)) return fromVocabulary(source);
  try {
    return JSON.parse(source) as object;
  } catch (cause) {
    throw new TypeError("roformer: `tokenizer` begins like tokenizer.json but is not JSON", { cause });
  }
}

class WordPieceTokenizer implements Tokenizer {
  readonly #tokenizer: HuggingFaceTokenizer;
  readonly maskToken = "[MASK]";
  readonly maskId: number | undefined;
  readonly #frame: Set<number | undefined>;

  constructor(tokenizer: HuggingFaceTokenizer) {
    this.#tokenizer = tokenizer;
    this.maskId = tokenizer.token_to_id(this.maskToken);
    this.#frame = new Set(["[CLS]", "[SEP]", "[PAD]"].map((token) => tokenizer.token_to_id(token)));
  }

  frames(id: number): boolean {
    return this.#frame.has(id);
  }

  encode(text: string, pair?: string): Encoded {
    const encoded = this.#tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true });
    return {
      inputIds: encoded.ids,
      tokenTypeIds: encoded.token_type_ids,
      attentionMask: encoded.attention_mask,
      tokens: encoded.tokens,
    };
  }

  decode(ids: number[], skipSpecialTokens: boolean): string {
    return this.#tokenizer.decode(ids, { skip_special_tokens: skipSpecialTokens });
  }
}

/** `source` is the option of that name; rejects with TypeError when it cannot be read. */
export type LoadTokenizer = (source: object | string) => Promise<Tokenizer>;

export async function loadTokenizer(source: object | string): Promise<Tokenizer> {
  if (typeof source !== "string" && (typeof source !== "object" || source === null)) {
    throw new TypeError(
      refusal("roformer", "tokenizer", source, "tokenizer.json as an object or text, or vocab.txt as text"),
    );
  }
  const json = parse(source);
  const { Tokenizer } = await import("@huggingface/tokenizers");
  try {
    return new WordPieceTokenizer(new Tokenizer(json, {}));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`roformer: \`tokenizer\` is not a tokenizer.json that can be read: ${why}`, { cause });
  }
}
