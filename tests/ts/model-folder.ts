/** Golden checkpoints with tokenizers of made-up words, since they come without any. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileSource } from "ropewalk";
import { goldenPath, goldenUrl, readGolden } from "./golden.js";
import { checkpointFile, type TensorValues, tensorsIn } from "./safetensors-file.js";

/** The folder of a golden encoder: plain, with a head of its own, or computed by this project's second reference. */
export function goldenFolder(name: string): string {
  const all = ["encoders", "encoders-2", "encoders-3"].map((folder) => goldenPath(`${folder}/${name}`));
  return all.find((folder) => existsSync(folder)) ?? all[0]!;
}

/** The files of a golden encoder, with others added or in place of them; undefined takes one away. */
export function filesOf(name: string, more: Record<string, FileSource | undefined> = {}): Map<string, FileSource> {
  const folder = goldenFolder(name);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = new Map<string, FileSource>();
  for (const file of names) {
    if (/\.(json|safetensors)$/.test(file) && existsSync(join(folder, file)))
      files.set(file.replaceAll("\\", "/"), new Uint8Array(readFileSync(join(folder, file))));
  }
  for (const [file, source] of Object.entries(more)) {
    if (source === undefined) files.delete(file);
    else files.set(file, source);
  }
  return files;
}

const WORDS = "a the rope ship sailor ties knot sea is on and who has it ? . , un ##s ##ed ##ing".split(" ");

/** A vocab.txt of `size` lines, as BERT's. */
export function vocabulary(size = 53): Uint8Array<ArrayBuffer> {
  const lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ...WORDS];
  while (lines.length < size) lines.push(`word${lines.length}`);
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}

/** A special token in `added_tokens` of a tokenizer.json. */
export const special = (content: string, id: number): object => ({
  id,
  content,
  single_word: false,
  lstrip: content === "<mask>",
  rstrip: false,
  normalized: false,
  special: true,
});
const framing = (first: [string, number], last: [string, number]) => ({
  type: "TemplateProcessing",
  single: [
    { SpecialToken: { id: first[0], type_id: 0 } },
    { Sequence: { id: "A", type_id: 0 } },
    { SpecialToken: { id: last[0], type_id: 0 } },
  ],
  pair: [
    { SpecialToken: { id: first[0], type_id: 0 } },
    { Sequence: { id: "A", type_id: 0 } },
    { SpecialToken: { id: last[0], type_id: 0 } },
    { SpecialToken: { id: last[0], type_id: 0 } },
    { Sequence: { id: "B", type_id: 1 } },
    { SpecialToken: { id: last[0], type_id: 1 } },
  ],
  special_tokens: Object.fromEntries([first, last].map(([id, at]) => [id, { id, ids: [at], tokens: [id] }])),
});

/** XLM-R's kind: <s> A </s> and <s> A </s></s> B </s>, words that begin with a lower bar, the likeliest split. */
export function unigram(size = 53): object {
  const pieces: [string, number][] = [
    ["<s>", 0],
    ["<pad>", 0],
    ["</s>", 0],
    ["<unk>", 0],
  ];
  for (const word of WORDS) pieces.push([word.startsWith("##") ? word.slice(2) : `\u2581${word}`, -3]);
  for (const [i, piece] of ["\u2581", "query", ":", "passage", "r", "o", "p", "e", "s"].entries())
    pieces.push([piece, -5 - i / 10]);
  while (pieces.length < size - 1) pieces.push([`\u2581word${pieces.length}`, -9]);
  pieces.push(["<mask>", 0]);
  return {
    version: "1.0",
    truncation: { max_length: 5, strategy: "LongestFirst", stride: 0, direction: "Right" },
    padding: null,
    added_tokens: ["<s>", "<pad>", "</s>", "<unk>"].map(special).concat(special("<mask>", size - 1)),
    normalizer: null,
    pre_tokenizer: { type: "Metaspace", replacement: "\u2581", prepend_scheme: "always", split: true },
    post_processor: framing(["<s>", 0], ["</s>", 2]),
    decoder: { type: "Metaspace", replacement: "\u2581", prepend_scheme: "always", split: true },
    model: { type: "Unigram", unk_id: 3, vocab: pieces, byte_fallback: false },
  };
}

/** ModernBERT's kind: bytes as characters, merged in the order that the file says. */
export function bytePairs(size = 53): object {
  const tokens = ["[CLS]", "[SEP]", "[PAD]", "[MASK]", "[UNK]", "\u0120", ..."abcdefghiknoprstuwy?.,"];
  const merges = [
    "r o",
    "p e",
    "ro pe",
    "\u0120 rope",
    "t h",
    "th e",
    "\u0120 the",
    "s h",
    "i p",
    "sh ip",
    "\u0120 ship",
    "\u0120 a",
  ];
  tokens.push(...merges.map((merge) => merge.replace(" ", "")));
  while (tokens.length < size) tokens.push(`unused${tokens.length}`);
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: tokens.slice(0, 5).map(special),
    normalizer: { type: "NFC" },
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: framing(["[CLS]", 0], ["[SEP]", 1]),
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}

/** The vocabulary of roformerFiles. */
export const ROFORMER_WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the captain gave rope to sailor who has it ? .".split(
  " ",
);
while (ROFORMER_WORDS.length < 97) ROFORMER_WORDS.push(`word${ROFORMER_WORDS.length}`);

/** The golden RoFormer with a head of its own in place of that for words. */
export function roformerFiles(
  architecture: string,
  labels: number,
  head: readonly TensorValues[],
  more: object = {},
): Record<string, FileSource> {
  const config = readGolden<object>("roformer/base/config.json");
  const tensors = tensorsIn(readFileSync(goldenUrl("roformer/base/model.safetensors")));
  const encoder = tensors.filter(({ name }) => name.startsWith("roformer."));
  return {
    "config.json": { ...config, architectures: [architecture], num_labels: labels, ...more },
    "model.safetensors": checkpointFile([...encoder, ...head]),
    "vocab.txt": new Blob([`${ROFORMER_WORDS.join("\n")}\n`]),
  };
}

/** A classifier of pairs into three classes, of which `entails` is the entailment. */
export function inferenceFiles(entails = 2): Map<string, FileSource> {
  const names = ["contradiction", "neutral", "neutral too"].map((name, i) => (i === entails ? "ENTAILMENT" : name));
  const config = JSON.parse(readFileSync(join(goldenFolder("roberta-classifier"), "config.json"), "utf8")) as object;
  const label2id = Object.fromEntries(names.map((name, i) => [name, i]));
  return filesOf("roberta-classifier", {
    "config.json": { ...config, label2id, id2label: { ...names } },
    "tokenizer.json": unigram(),
  });
}
