/** The vocabularies of GGUF files: texts against tokens that were worked out by hand. */
import { describe, expect, it } from "vitest";
import { tokenizerOfGguf } from "../../bindings/ts/model/gguf/tokenizer.js";
import { loadTokenizer } from "../../bindings/ts/model/text/tokenizer.js";

const load = (metadata: Record<string, unknown>) => {
  const words = tokenizerOfGguf(metadata);
  if (typeof words === "string") throw new Error(words);
  return loadTokenizer({ fn: "decoder", argument: "vocabulary", ...words });
};

describe("a vocabulary of SentencePiece", () => {
  const tokens = ["<unk>", "<s>", "</s>", "<0x21>", "▁", "t", "h", "e", "▁t", "he", "▁the", "r", "re", "constructor"];
  const metadata = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.pre": "default",
    "tokenizer.ggml.tokens": tokens,
    "tokenizer.ggml.scores": [0, 0, 0, 0, -11, -12, -13, -14, -1, -2, -3, -15, -4, -99],
    "tokenizer.ggml.token_type": [2, 3, 3, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    "tokenizer.ggml.bos_token_id": 1,
  };

  it("merges the piece with the highest score first", async () => {
    const tokenizer = await load(metadata);
    expect(tokenizer.encode("encode", "the").encoded.inputIds).toEqual([1, 10]);
    // ▁t h e r e, ▁t he r e, ▁the r e, ▁the re
    expect(tokenizer.encode("encode", "there").encoded.inputIds).toEqual([1, 10, 12]);
    expect(tokenizer.encode("encode", "the the").encoded.inputIds).toEqual([1, 10, 10]);
    expect(tokenizer.encode("encode", "the").first).toEqual([1, 2]);
    const later = { ...metadata, "tokenizer.ggml.scores": [0, 0, 0, 0, -11, -12, -13, -14, -4, -3, -2, -15, -1, -99] };
    // ▁ t h e re, ▁ t he re, ▁t he re, ▁the re
    expect((await load(later)).encode("encode", "there").encoded.inputIds).toEqual([1, 10, 12]);
    const never = { ...metadata, "tokenizer.ggml.scores": [0, 0, 0, 0, -11, -12, -13, -14, -2, -4, -5, -15, -1, -99] };
    // "er" is no piece, so "re" takes the last e, and "he" the first.
    expect((await load(never)).encode("encode", "here").encoded.inputIds).toEqual([1, 4, 9, 12]);
  });

  it("writes what is no piece as bytes, and gives texts back", async () => {
    const tokenizer = await load(metadata);
    expect(tokenizer.encode("encode", "the!").encoded.inputIds).toEqual([1, 10, 3]);
    expect(tokenizer.decode([1, 10, 12, 10, 3], true)).toBe("there the!");
  });

  it("puts nothing before a text where the file says so", async () => {
    const plain = await load({ ...metadata, "tokenizer.ggml.add_bos_token": false });
    expect(plain.encode("encode", "the").encoded.inputIds).toEqual([10]);
    const bare = await load({ ...metadata, "tokenizer.ggml.add_space_prefix": false });
    expect(bare.encode("encode", "the").encoded.inputIds).toEqual([1, 5, 9]);
  });
});

describe("byte pairs", () => {
  const tokens = ["<|end|>", "t", "h", "e", "Ġ", "4", "2", "th", "the", "Ġthe", "42", "het", "<tool>"];
  const metadata = (pre: string) => ({
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": pre,
    "tokenizer.ggml.tokens": tokens,
    "tokenizer.ggml.token_type": [3, ...new Array(11).fill(1), 4],
    "tokenizer.ggml.merges": ["t h", "th e", "Ġ the", "4 2"],
    "tokenizer.ggml.bos_token_id": 0,
  });

  it.each([
    ["gpt-2", [8, 9, 4, 10]],
    // Digits stand alone.
    ["smollm", [8, 9, 4, 5, 6]],
    ["qwen2", [8, 9, 4, 5, 6]],
    // Up to three digits stand together, and a text begins with a token of its own.
    ["llama-bpe", [0, 8, 9, 4, 10]],
    ["lfm2", [0, 8, 9, 4, 10]],
    ["phi-2", [8, 9, 4, 10]],
    ["exaone4", [8, 9, 4, 10]],
    ["command-r", [8, 9, 4, 5, 6]],
  ])("split as %s", async (pre, ids) => {
    const tokenizer = await load(metadata(pre));
    expect(tokenizer.encode("encode", "the the 42").encoded.inputIds).toEqual(ids);
    expect(tokenizer.decode(ids, true)).toBe("the the 42");
  });

  it("part numbers that are no digits as well, where digits stand alone", async () => {
    // "½" is "Â½" as bytes.
    const halves = (pre: string) => ({
      ...metadata(pre),
      "tokenizer.ggml.tokens": [...tokens, "Â", "½", "Â½", "4Â½"],
      "tokenizer.ggml.merges": ["Â ½", "4 Â½"],
    });
    expect((await load(halves("gpt-2"))).encode("encode", "4½").encoded.inputIds).toEqual([16]);
    expect((await load(halves("smollm"))).encode("encode", "4½").encoded.inputIds).toEqual([5, 15]);
  });

  it("take a word that is a token whole in Llama 3 alone", async () => {
    expect((await load(metadata("llama-bpe"))).encode("encode", "het").encoded.inputIds).toEqual([0, 11]);
    expect((await load(metadata("smollm"))).encode("encode", "het").encoded.inputIds).toEqual([2, 3, 1]);
  });

  it("know tokens that stand for themselves", async () => {
    const tokenizer = await load(metadata("smollm"));
    expect(tokenizer.encode("encode", "the<tool>the<|end|>").encoded.inputIds).toEqual([8, 12, 8, 0]);
    expect(tokenizer.decode([8, 12, 8, 0], true)).toBe("the<tool>the");
  });
});

describe("WordPiece", () => {
  const tokens = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[unused0]",
    "\u2581rope",
    "s",
    "\u2581s",
    "\u2581\u00e9",
  ];
  const metadata = { "tokenizer.ggml.model": "bert", "tokenizer.ggml.tokens": tokens };

  it("begins words with a sign, and is in lower case and without accents unless the file says otherwise", async () => {
    const tokenizer = await load(metadata);
    expect(tokenizer.encode("encode", "Ropes s", "rope").encoded).toMatchObject({
      inputIds: [2, 6, 7, 8, 3, 6, 3],
      tokenTypeIds: [0, 0, 0, 0, 0, 1, 1],
    });
    expect(tokenizer.encode("encode", "\u00e9 rope[MASK]").encoded.inputIds).toEqual([2, 1, 6, 4, 3]);
    expect(tokenizer.decode([2, 6, 7, 3], true)).toBe("ropes");
    const cased = await load({ ...metadata, "tokenizer.ggml.normalizer.lowercase": false });
    expect(cased.encode("encode", "\u00e9 Rope rope").encoded.inputIds).toEqual([2, 9, 1, 6, 3]);
  });
});

describe("a vocabulary of pieces with probabilities", () => {
  const metadata = {
    "tokenizer.ggml.model": "t5",
    "tokenizer.ggml.tokens": ["<s>", "<pad>", "</s>", "<unk>", "\u2581", "\u2581rope", "\u2581ro", "pe", "s"],
    "tokenizer.ggml.token_type": [3, 3, 3, 2, 1, 1, 1, 1, 1],
    "tokenizer.ggml.scores": [0, 0, 0, 0, -3, -5, -1, -2, -4],
    "tokenizer.ggml.bos_token_id": 0,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.unknown_token_id": 3,
    "tokenizer.ggml.add_bos_token": true,
    "tokenizer.ggml.add_eos_token": true,
  };

  it("takes the likeliest pieces", async () => {
    const tokenizer = await load(metadata);
    // -1 - 2 is more than -5.
    expect(tokenizer.encode("encode", "ropes").encoded.inputIds).toEqual([0, 6, 7, 8, 2]);
    expect(tokenizer.encode("encode", "rope   s").encoded.inputIds).toEqual([0, 6, 7, 4, 8, 2]);
    expect(tokenizer.encode("encode", "s x").encoded.inputIds).toEqual([0, 4, 8, 4, 3, 2]);
    expect(tokenizer.decode([0, 6, 7, 4, 8, 2], true)).toBe("rope s");
  });
});

it.each([
  [{}, "without a vocabulary"],
  [
    { "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "deepseek-llm", "tokenizer.ggml.tokens": ["a"] },
    'with a vocabulary of the kind "gpt2", split as "deepseek-llm"',
  ],
  [
    { "tokenizer.ggml.model": "rwkv", "tokenizer.ggml.tokens": ["a"] },
    'with a vocabulary of the kind "rwkv", split as undefined',
  ],
  [
    { "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "constructor", "tokenizer.ggml.tokens": ["a"] },
    'with a vocabulary of the kind "gpt2", split as "constructor"',
  ],
])("says what it does not read: %j", (metadata, words) => {
  expect(tokenizerOfGguf(metadata)).toBe(words);
});

it("refuses a token whose merges would take minutes", () => {
  const tokens = ["a", "x".repeat(1025)];
  const metadata = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": tokens,
    "tokenizer.ggml.scores": [0, 0],
  };
  expect(() => tokenizerOfGguf(metadata)).toThrow("has a token of 1025 characters; allowed: up to 1024");
});
