/** Limits on a tokenizer.json from a stranger, and on how much of a long text is turned into tokens. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExplosive } from "../../bindings/ts/model/text/backtracking.js";
import { loadTokenizer, type Tokenizer } from "../../bindings/ts/model/text/tokenizer.js";
import { truncated } from "../../bindings/ts/model/text/truncate.js";
import { bytePairs, unigram, vocabulary } from "./model-folder.js";

const open = (source: unknown): Promise<Tokenizer> =>
  loadTokenizer({ fn: "encoder", argument: "tokenizer.json", source, modelType: "bert" });
const words = new TextDecoder().decode(vocabulary());
const replace = (pattern: object, content: string) => ({ type: "Replace", pattern, content });
const sequence = (normalizers: object[]) => ({ type: "Sequence", normalizers });
const doubling = (times: number) => sequence(Array(times).fill(replace({ String: "a" }, "aa")));
const split = (Regex: string) => ({ type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false });
const json = unigram() as {
  added_tokens: object[];
  post_processor: { single: object[] };
  model: { vocab: [string, number][] };
};
const added = (content: string) => [...json.added_tokens, { id: 60, content, special: false, normalized: true }];

describe("a tokenizer.json is refused that", () => {
  it.each<[what: string, changes: object, words: string]>([
    ["makes gigabytes of a letter", { normalizer: doubling(40) }, "its steps make more than 32 characters of each"],
    [
      "does so before words are found",
      { pre_tokenizer: { type: "Sequence", pretokenizers: doubling(40).normalizers } },
      "its steps make",
    ],
    ["does so of a token that it adds", { normalizer: doubling(40), added_tokens: added("aa") }, "its steps make"],
    [
      "puts a text in place of a letter",
      { normalizer: replace({ String: "a" }, "b".repeat(65)) },
      "`content` has 65 characters",
    ],
    ["puts the text before in place of a letter", { normalizer: replace({ String: "a" }, "$`") }, '`content` is "$`"'],
    [
      "begins every word with a long text",
      { model: { ...json.model, continuing_subword_prefix: "#".repeat(65) } },
      "has 65 characters",
    ],
    ["has thousands of steps", { normalizer: sequence(Array(600).fill({ type: "NFC" })) }, "more than 512 steps"],
    ["splits by (a+)+$", { pre_tokenizer: split("(a+)+$") }, "the time that its pattern (a+)+"],
    ["normalises by (a|a)*b", { normalizer: replace({ Regex: "(a|a)*b" }, "") }, "may double"],
    [
      "does so in a token that it adds",
      { normalizer: replace({ Regex: "(a+)+$" }, ""), added_tokens: added(`${"a".repeat(50)}b`) },
      "may double",
    ],
    [
      "has a pattern of no kind",
      { pre_tokenizer: { ...split("a"), pattern: { Glob: "\u001b[2J" } } },
      "the pattern of Split is neither",
    ],
    [
      "repeats a text in its template",
      { post_processor: { ...json.post_processor, single: Array(9).fill({ Sequence: { id: "A", type_id: 0 } }) } },
      "its template repeats a text",
    ],
  ])("%s", async (_, changes, words) => {
    const refused = open({ ...json, ...changes });
    await expect(refused).rejects.toMatchObject({ code: "malformed", function: "encoder", argument: "tokenizer.json" });
    await expect(refused).rejects.toThrow(words);
  });
});

it("a text that grows too much is refused by the function that was called", async () => {
  const tokenizer = await open({ ...json, normalizer: replace({ String: "b" }, "b".repeat(40)) });
  expect(() => tokenizer.encode("embed", "b".repeat(1000))).toThrow(/^embed: `tokenizer` .*more than 32 characters/);
  expect(tokenizer.encode("embed", "the rope").encoded.tokens).toContain("▁rope");
});

describe("patterns whose ways to match a text double with its letters:", () => {
  it.each([
    "(a+)+$",
    "(a|a)*b",
    "(.*)*x",
    "(?:a*b*)*",
    "(?:a{1,3})+b",
    "(.{1,64}){1,64}",
    "(?:\\w+\\s?)+$",
    "(?=(a+)+$)b",
    "(?:[a-z]|\\p{L})+1",
    `${"(".repeat(20)}a${"{3})".repeat(20)}`,
  ])("%s", (pattern) => {
    const found = (() => {
      try {
        return isExplosive(new RegExp(pattern, "gu"));
      } catch {
        return true;
      }
    })();
    expect(found).toBe(true);
  });

  const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)".replace("?i", "?");
  it.each([
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?:'s|'t)?|\\p{N}{1,3}",
    "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?:\\P{N}|$))",
    "(?:\\p{L}\\p{M}*)+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[一-龥぀-ゟ゠-ヿ]+",
    " ?[^()|\\s.,!?…。，、।۔،]+",
    "\\s{2,}|[\\n\\r\\t]",
  ])("not %s", (pattern) => {
    expect(isExplosive(new RegExp(pattern, "gu"))).toBe(false);
  });
});

/** Words, signs and spaces, of which tokens of every kind are made. */
const text = fc
  .array(
    fc.constantFrom(
      "the",
      "rope",
      " ",
      " ",
      " ",
      "  ",
      "\n",
      ".",
      "ship",
      "ropes",
      "a",
      "é",
      "Σ",
      "ﬁ",
      "中",
      "9",
      "[MASK]",
      "<mask>",
    ),
    { minLength: 500, maxLength: 1500 },
  )
  .map((parts) => parts.join(""));

describe("the beginning of a text has the tokens of the whole:", () => {
  const gemma = {
    ...unigram(),
    normalizer: replace({ String: " " }, "▁"),
    pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious", invert: false },
  };
  it.each<[what: string, source: unknown, isCut: boolean]>([
    ["word pieces", words, true],
    ["unigram", unigram(), true],
    ["unigram without words", gemma, true],
    ["byte pairs", bytePairs(), true],
    [
      "a piece that reaches over a space",
      { ...json, model: { ...json.model, vocab: [...json.model.vocab, ["rope▁the", -1]] } },
      false,
    ],
    ["an added token with a space in it", { ...json, added_tokens: added("rope the") }, false],
    ["a pattern that nobody knows", { ...bytePairs(), pre_tokenizer: split(".+") }, false],
    ["word pieces of lines", { ...bytePairs(), pre_tokenizer: { type: "Punctuation" } }, false],
    ["spaces that go", { ...json, normalizer: replace({ String: " " }, "") }, false],
  ])("%s", async (_, source, isCut) => {
    const tokenizer = await open(source);
    await tokenizer.loadBeginnings("a".repeat(1 << 14));
    let cuts = 0;
    fc.assert(
      fc.property(text, fc.constantFrom("", "the rope", "a"), fc.integer({ min: 3, max: 60 }), (long, first, most) => {
        for (const pair of first === "" ? [[long]] : [[long], [first, long], [long, first]]) {
          const [whole, begun] = [undefined, most].map((end) => tokenizer.encode("embed", pair[0]!, pair[1], end));
          expect(truncated(begun!, most).encoded.inputIds).toEqual(truncated(whole!, most).encoded.inputIds);
          if (begun!.encoded.inputIds.length < whole!.encoded.inputIds.length) cuts++;
        }
      }),
      { numRuns: 40, seed: 20260103 },
    );
    expect(cuts > 0).toBe(isCut);
  });
});

it("names the call that finds a vocabulary which is no list", async () => {
  const tokenizer = await open({ ...unigram(), model: { ...json.model, vocab: "a" } });
  expect(() => tokenizer.encodeBetween("encodeChat", "a", (part) => part)).toThrow(
    /^encodeChat: `tokenizer` is not a tokenizer.json that can be read: /,
  );
});
