/**
 * The vocabulary of a GGUF file as a tokenizer.json. Keys: github.com/ggml-org/ggml/blob/master/docs/gguf.md. What a
 * tokenizer.json says beside its vocabulary is a name here, `tokenizer.ggml.pre`; names that are not listed below are
 * refused, since a text that is split otherwise gets other tokens.
 */
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";

/** Characters; those of published vocabularies stay below 300. */
const LONGEST_TOKEN = 1024;

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

interface Splitter {
  pre: object;
  normalizer?: object;
  ignoreMerges?: true;
  begins?: true;
}
const digits = { type: "Split", pattern: { Regex: "\\p{N}" }, behavior: "Isolated", invert: false };

/** By `tokenizer.ggml.pre`, names apart by blanks: those for which llama.cpp has one expression. */
const SPLITTERS: ReadonlyMap<string, Splitter> = new Map(
  (
    [
      [
        "gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de gigachat a.x-4.0 mellum modern-bert olmo exaone4",
        { pre: byteLevel(true) },
      ],
      ["smollm refact starcoder command-r codeshell exaone minerva-7b", { pre: sequence(digits, byteLevel(true)) }],
      [
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2",
        { pre: sequence(split("{1,3}"), byteLevel(false)), ignoreMerges: true, begins: true },
      ],
      ["dbrx glm4 chatglm-bpe", { pre: sequence(split("{1,3}"), byteLevel(false)) }],
      ["qwen2 megrez", { pre: sequence(split(""), byteLevel(false)), normalizer: { type: "NFC" } }],
      ["stablelm2", { pre: sequence(split(""), byteLevel(false)) }],
    ] as [string, Splitter][]
  ).flatMap(([names, splitter]) => names.split(" ").map((name) => [name, splitter] as const)),
);

interface Vocabulary {
  tokens: readonly string[];
  types: readonly number[];
  ids: ReadonlyMap<string, number>;
}

/** Token ids and their texts, which are all different. */
function vocabularyOf(metadata: Json): Vocabulary | undefined {
  const { "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": types = [] } = metadata;
  if (!Array.isArray(tokens) || !Array.isArray(types)) return undefined;
  // Merges are found by every way to cut a token in two.
  const long = tokens.find((token) => String(token).length > LONGEST_TOKEN);
  if (long !== undefined)
    throw refuse.malformed(
      "tokenizer",
      "tokenizer.ggml.tokens",
      `has a token of ${String(long).length} characters; allowed: up to ${LONGEST_TOKEN}`,
    );
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

/** Puts the tokens that begin and end a text around it, where the file says so. */
function framing(metadata: Json, { tokens }: Vocabulary, begins: boolean, ends = false): object | null {
  const about = (key: string) => metadata[`tokenizer.ggml.${key}`];
  const used: Record<string, object> = {};
  const special = (adds: unknown, ...keys: string[]): object[] => {
    const id = keys.map((key) => about(`${key}_token_id`)).find((each) => typeof each === "number");
    const token = typeof id === "number" ? tokens[id] : undefined;
    if (adds !== true || token === undefined) return [];
    used[token] = { id: token, ids: [id], tokens: [token] };
    return [{ SpecialToken: { id: token, type_id: 0 } }];
  };
  const first = special(about("add_bos_token") ?? begins, "bos", "cls");
  const last = special(about("add_eos_token") ?? ends, "eos", "seperator");
  if (first.length + last.length === 0) return null;
  const single = [...first, { Sequence: { id: "A", type_id: 0 } }, ...last];
  // A second text begins as the first does, unless the end of that one parts them.
  const pair = [...single, ...(last.length > 0 ? [] : first), { Sequence: { id: "B", type_id: 1 } }, ...last];
  return { type: "TemplateProcessing", single, pair, special_tokens: used };
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
    post_processor: framing(metadata, vocabulary, true),
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
  const splitter = SPLITTERS.get(pre as string);
  if (splitter === undefined || !Array.isArray(merges)) return undefined;
  return {
    normalizer: splitter.normalizer ?? null,
    pre_tokenizer: splitter.pre,
    post_processor: framing(metadata, vocabulary, splitter.begins ?? false),
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

/** A vocabulary of SentencePiece whose pieces have probabilities: XLM-RoBERTa's. */
function unigram(metadata: Json, vocabulary: Vocabulary): object | undefined {
  const { "tokenizer.ggml.scores": scores, "tokenizer.ggml.add_space_prefix": prefix = true } = metadata;
  if (!Array.isArray(scores)) return undefined;
  const spaces = { type: "Metaspace", replacement: "\u2581", prepend_scheme: prefix === true ? "always" : "never" };
  const several = { type: "Replace", pattern: { Regex: " {2,}" }, content: " " };
  return {
    normalizer: { type: "Sequence", normalizers: [{ type: "Precompiled" }, several] },
    pre_tokenizer: spaces,
    post_processor: framing(metadata, vocabulary, false, true),
    decoder: spaces,
    model: {
      type: "Unigram",
      unk_id: metadata["tokenizer.ggml.unknown_token_id"] ?? vocabulary.types.indexOf(UNKNOWN),
      vocab: vocabulary.tokens.map((token, id) => [token, scores[id] as number]),
    },
  };
}

/** The lines of vocab.txt: WordPiece, where "\u2581" begins the pieces that begin a word, and nothing those that "##" began. */
function wordPiece(metadata: Json, { tokens, types }: Vocabulary): Words {
  const pieces = tokens.map((token, id) => {
    if (token.startsWith("\u2581")) return token.slice(1);
    return (types[id] ?? NORMAL) !== NORMAL || /^\[.+\]$/.test(token) ? token : `##${token}`;
  });
  const lower = metadata["tokenizer.ggml.normalizer.lowercase"] ?? true;
  const accents = metadata["tokenizer.ggml.normalizer.strip_accents"] ?? lower;
  return { source: pieces.join("\n"), config: { do_lower_case: lower, strip_accents: accents } };
}

/** By `tokenizer.ggml.model`. */
const KINDS = new Map<unknown, (metadata: Json, vocabulary: Vocabulary) => object | undefined>([
  ["llama", sentencePiece],
  ["gpt2", bytePairs],
  ["t5", unigram],
]);

/** tokenizer.json or the lines of vocab.txt, and tokenizer_config.json. */
export interface Words {
  source: object | string;
  config?: Json;
}

/** The files of a tokenizer; or a text that says which vocabulary it is that is not read. */
export function tokenizerOfGguf(metadata: Json): Words | string {
  const { "tokenizer.ggml.model": model, "tokenizer.ggml.pre": pre } = metadata;
  const vocabulary = vocabularyOf(metadata);
  if (vocabulary === undefined) return "without a vocabulary";
  if (model === "bert") return wordPiece(metadata, vocabulary);
  const made = KINDS.get(model)?.(metadata, vocabulary);
  if (made !== undefined) return { source: { version: "1.0", added_tokens: addedTokens(vocabulary), ...made } };
  return `with a vocabulary of the kind ${JSON.stringify(model)}, split as ${JSON.stringify(pre)}`;
}
