/** The tokenizer.json that stands for a vocab.txt, which has one token per line: the number of the line is its id. */
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";

function tokensOf(lines: string): string[] {
  const tokens = lines.split(/\r?\n/);
  while (tokens.at(-1) === "") tokens.pop();
  return tokens;
}

const addedToken = (id: number, content: string, special: boolean) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special,
});

/** Frames texts as [CLS] A [SEP] and [CLS] A [SEP] B [SEP]; tokens of B have type 1. */
function framing(first: string, last: string, idOf: (token: string) => number): object {
  const special = (token: string, type: number) => ({ SpecialToken: { id: token, type_id: type } });
  const sequence = (id: string, type: number) => ({ Sequence: { id, type_id: type } });
  const entry = (token: string) => ({ id: token, ids: [idOf(token)], tokens: [token] });
  return {
    type: "TemplateProcessing",
    single: [special(first, 0), sequence("A", 0), special(last, 0)],
    pair: [special(first, 0), sequence("A", 0), special(last, 0), sequence("B", 1), special(last, 1)],
    special_tokens: { [first]: entry(first), [last]: entry(last) },
  };
}

const isTrue = (value: unknown, otherwise: boolean): boolean => (typeof value === "boolean" ? value : otherwise);

/** BERT's WordPiece; tokenizer_config.json may say what vocab.txt does not. */
function wordPiece(tokens: string[], config: Json): { required: string[]; parts: (ids: Vocabulary) => object } {
  const required = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  // A vocabulary of lower-cased text has no capitals.
  const hasCapitals = tokens.some((token) => !/^\[.*\]$/.test(token) && /\p{Lu}/u.test(token));
  return {
    required,
    parts: (vocab) => ({
      added_tokens: required.map((token) => addedToken(vocab[token]!, token, true)),
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: isTrue(config.tokenize_chinese_chars, true),
        strip_accents: typeof config.strip_accents === "boolean" ? config.strip_accents : null,
        lowercase: isTrue(config.do_lower_case, !hasCapitals),
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: framing("[CLS]", "[SEP]", (token) => vocab[token]!),
      decoder: { type: "WordPiece", prefix: "##", cleanup: true },
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab,
      },
    }),
  };
}

/** ESM's amino acids: every entry of the vocabulary is found wherever it stands, and the rest is unknown. */
function residues(tokens: string[]): { required: string[]; parts: (ids: Vocabulary) => object } {
  return {
    required: ["<cls>", "<pad>", "<eos>", "<unk>", "<mask>"],
    parts: (vocab) => ({
      added_tokens: tokens.map((token, id) => addedToken(id, token, /^<.*>$/.test(token))),
      normalizer: null,
      pre_tokenizer: { type: "WhitespaceSplit" },
      post_processor: framing("<cls>", "<eos>", (token) => vocab[token]!),
      decoder: null,
      model: {
        type: "WordPiece",
        unk_token: "<unk>",
        continuing_subword_prefix: "",
        max_input_chars_per_word: 100,
        vocab,
      },
    }),
  };
}

type Vocabulary = Record<string, number>;

/** @throws RangeError, TypeError for lines without the special tokens of the model. */
export function tokenizerOfVocabulary(
  fn: string,
  argument: string,
  lines: string,
  config: Json,
  modelType: unknown,
): object {
  const tokens = tokensOf(lines);
  const vocab: Vocabulary = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const { required, parts } = modelType === "esm" ? residues(tokens) : wordPiece(tokens, config);
  const missing = required.filter((token) => !Object.hasOwn(vocab, token));
  if (missing.length > 0) {
    const found = `has ${tokens.length} lines without ${missing.join(", ")}`;
    throw refuse.malformed(fn, argument, `${found}; allowed: tokenizer.json, or all lines of vocab.txt`);
  }
  return { version: "1.0", truncation: null, padding: null, ...parts(vocab) };
}
