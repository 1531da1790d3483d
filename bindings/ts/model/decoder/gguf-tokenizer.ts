/**
 * The vocabulary of a GGUF file as a tokenizer.json. Keys: github.com/ggml-org/ggml/blob/master/docs/gguf.md. What a
 * tokenizer.json says beside its vocabulary is a name here, `tokenizer.ggml.pre`; names that are not listed below are
 * refused, since a text that is split otherwise gets other tokens.
 */
import type { Json } from "../files/read.js";

/** Values of `tokenizer.ggml.token_type`. */
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;

/** A word piece may begin with one space; digits come in groups of at most `digits`. As Llama 3 and Qwen 2 split. */
const split = (digits: string) => ({
  type: "Split",
  pattern: {
    Regex: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  },
  behavior: "Isolated",
  invert: false,
});
const byteLevel = (useRegex: boolean) => ({
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});
const sequence = (...pretokenizers: object[]) => ({ type: "Sequence", pretokenizers });

/** By `tokenizer.ggml.pre`. */
const SPLITTERS: Readonly<Record<string, { pre: object; normalizer?: object; ignoreMerges?: true; begins?: true }>> = {
  "gpt-2": { pre: byteLevel(true) },
  smollm: { pre: sequence({ type: "Digits", individual_digits: true }, byteLevel(true)) },
  "llama-bpe": { pre: sequence(split("{1,3}"), byteLevel(false)), ignoreMerges: true, begins: true },
  qwen2: { pre: sequence(split(""), byteLevel(false)), normalizer: { type: "NFC" } },
};

interface Vocabulary {
  tokens: readonly string[];
  types: readonly number[];
  ids: ReadonlyMap<string, number>;
}

/** Token ids and their texts, which are all different. */
function vocabularyOf(metadata: Json): Vocabulary | undefined {
  const { "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": types = [] } = metadata;
  if (!Array.isArray(tokens) || !Array.isArray(types)) return undefined;
  const ids = new Map(tokens.map((token, id) => [String(token), id]));
  return { tokens: tokens as string[], types: types as number[], ids };
}

/** Those that stand for themselves in a text, before it is split. */
function addedTokens({ tokens, types }: Vocabulary): object[] {
  return tokens.flatMap((content, id) => {
    const type = types[id] ?? NORMAL;
    if (type !== CONTROL && type !== UNKNOWN && type !== USER_DEFINED) return [];
    const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    return [{ id, content, ...plain, special: type !== USER_DEFINED }];
  });
}

/** Puts the token that begins a text before it, where the file says so. */
function beginning(metadata: Json, { tokens }: Vocabulary, usual: boolean): object | null {
  const { "tokenizer.ggml.bos_token_id": bos, "tokenizer.ggml.add_bos_token": adds = usual } = metadata;
  const token = typeof bos === "number" ? tokens[bos] : undefined;
  if (adds !== true || token === undefined) return null;
  const special = { SpecialToken: { id: token, type_id: 0 } };
  return {
    type: "TemplateProcessing",
    single: [special, { Sequence: { id: "A", type_id: 0 } }],
    pair: [special, { Sequence: { id: "A", type_id: 0 } }, special, { Sequence: { id: "B", type_id: 1 } }],
    special_tokens: { [token]: { id: token, ids: [bos], tokens: [token] } },
  };
}

/**
 * The merges of a vocabulary of SentencePiece, which has scores instead: any two pieces that make a third merge, the
 * highest score first, and among equal ones shorter pieces first.
 */
function mergesOf({ tokens, types, ids }: Vocabulary, scores: readonly number[]): [string, string][] {
  const merges: { left: string; right: string; score: number }[] = [];
  for (const [i, token] of tokens.entries()) {
    if ((types[i] ?? NORMAL) !== NORMAL) continue;
    const characters = Array.from(token);
    for (let at = 1; at < characters.length; at++) {
      const [left, right] = [characters.slice(0, at).join(""), characters.slice(at).join("")];
      if (ids.has(left) && ids.has(right)) merges.push({ left, right, score: scores[i] ?? 0 });
    }
  }
  const id = (token: string) => ids.get(token)!;
  merges.sort((a, b) => b.score - a.score || id(a.left) - id(b.left) || id(a.right) - id(b.right));
  return merges.map(({ left, right }) => [left, right]);
}

function sentencePiece(metadata: Json, vocabulary: Vocabulary): object | undefined {
  const { "tokenizer.ggml.scores": scores, "tokenizer.ggml.add_space_prefix": prefix = true } = metadata;
  if (!Array.isArray(scores)) return undefined;
  const unknown = vocabulary.types.indexOf(UNKNOWN);
  const spaces = { type: "Replace", pattern: { String: " " }, content: "\u2581" };
  const back = { type: "Replace", pattern: { String: "\u2581" }, content: " " };
  const before = prefix === true ? [{ type: "Prepend", prepend: "\u2581" }] : [];
  const after = prefix === true ? [{ type: "Strip", content: " ", start: 1, stop: 0 }] : [];
  return {
    normalizer: { type: "Sequence", normalizers: [...before, spaces] },
    pre_tokenizer: null,
    post_processor: beginning(metadata, vocabulary, true),
    decoder: { type: "Sequence", decoders: [back, { type: "ByteFallback" }, { type: "Fuse" }, ...after] },
    model: {
      type: "BPE",
      unk_token: vocabulary.tokens[unknown] ?? null,
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(vocabulary.ids),
      merges: mergesOf(vocabulary, scores as number[]),
    },
  };
}

function bytePairs(metadata: Json, vocabulary: Vocabulary): object | undefined {
  const { "tokenizer.ggml.merges": merges, "tokenizer.ggml.pre": pre } = metadata;
  const splitter = typeof pre === "string" && Object.hasOwn(SPLITTERS, pre) ? SPLITTERS[pre] : undefined;
  if (splitter === undefined || !Array.isArray(merges)) return undefined;
  return {
    normalizer: splitter.normalizer ?? null,
    pre_tokenizer: splitter.pre,
    post_processor: beginning(metadata, vocabulary, splitter.begins ?? false),
    decoder: byteLevel(true),
    model: {
      type: "BPE",
      unk_token: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: splitter.ignoreMerges ?? false,
      vocab: Object.fromEntries(vocabulary.ids),
      merges,
    },
  };
}

/** A tokenizer.json; or a text that says which vocabulary it is that is not read. */
export function tokenizerOfGguf(metadata: Json): object | string {
  const { "tokenizer.ggml.model": model, "tokenizer.ggml.pre": pre } = metadata;
  const vocabulary = vocabularyOf(metadata);
  if (vocabulary === undefined) return "without a vocabulary";
  const made =
    model === "llama"
      ? sentencePiece(metadata, vocabulary)
      : model === "gpt2"
        ? bytePairs(metadata, vocabulary)
        : undefined;
  if (made !== undefined) return { version: "1.0", added_tokens: addedTokens(vocabulary), ...made };
  return `with a vocabulary of the kind ${JSON.stringify(model)}, split as ${JSON.stringify(pre)}`;
}
