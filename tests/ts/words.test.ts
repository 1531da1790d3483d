/** Text in, words out. The weights are random, so that only the arithmetic around them is looked at. */
import { readFileSync } from "node:fs";
import { load, type RoFormer } from "ropewalk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenUrl, readGolden } from "./golden.js";

const words = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "[MASK]",
  "the",
  "captain",
  "gave",
  "sailor",
  "to",
  ".",
  "##s",
  "cafe",
];
while (words.length < 97) words.push(`word${String.fromCharCode(97 + (words.length % 26))}${words.length}`);
const vocabulary = `${words.join("\n")}\n`;

const ropewalk = await load();
const config = readGolden<object>("roformer/base/config.json");
const weights = readFileSync(goldenUrl("roformer/base/model.safetensors"));

describe("a RoFormer with a vocabulary", () => {
  let model: RoFormer;
  beforeAll(async () => {
    model = await ropewalk.roformer({ config, weights, tokenizer: vocabulary });
  });
  afterAll(() => model.dispose());

  it("encodes texts and pairs as BERT does", () => {
    expect(model.encode("The Captains gave the [MASK] to zzz. Café")).toEqual({
      inputIds: [2, 5, 6, 11, 7, 5, 4, 9, 1, 10, 12, 3],
      tokenTypeIds: new Array(12).fill(0),
      attentionMask: new Array(12).fill(1),
      tokens: ["[CLS]", "the", "captain", "##s", "gave", "the", "[MASK]", "to", "[UNK]", ".", "cafe", "[SEP]"],
    });
    const pair = model.encode("the captain", "to the sailor");
    expect(pair.inputIds).toEqual([2, 5, 6, 3, 9, 5, 8, 3]);
    expect(pair.tokenTypeIds).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  });

  it("fills one mask", () => {
    const text = "the captain gave the [MASK] to the sailor .";
    const filled = model.fillMask(text, { topK: 97 });
    expect(filled.length).toBe(1);
    const [list] = filled;
    expect(list!.reduce((sum, each) => sum + each.score, 0)).toBeCloseTo(1, 6);
    expect(list!.every((each, i) => i === 0 || each.score <= list![i - 1]!.score)).toBe(true);

    const { inputIds } = model.encode(text);
    const logits = model.forward({ inputIds, sequence: inputIds.length }).logits!.subarray(5 * 97, 6 * 97);
    expect(list![0]!.token).toBe(logits.indexOf(Math.max(...logits)));
    const captain = list!.find((each) => each.token === 6)!;
    expect(captain.tokenStr).toBe("captain");
    expect(captain.sequence).toBe("the captain gave the captain to the sailor.");
    expect(model.fillMask(text)[0]).toEqual(list!.slice(0, 5));
  });

  it("fills each of several masks, the others left visible", () => {
    const filled = model.fillMask("the [MASK] gave [MASK]", { topK: 2 });
    expect(filled.map((list) => list.length)).toEqual([2, 2]);
    expect(filled[0]![0]!.sequence).toMatch(/^\[CLS\] the .* gave ?\[MASK\] \[SEP\]$/);
  });

  it("embeds texts as mean vectors of length 1", () => {
    const vectors = model.embed(["the captain", "to the sailor ."]);
    expect(vectors.length).toBe(2 * 48);
    const { inputIds } = model.encode("the captain");
    const { lastHiddenState } = model.forward({ inputIds, sequence: inputIds.length });
    const mean = Array.from({ length: 48 }, (_, c) =>
      inputIds.reduce((sum, _id, s) => sum + lastHiddenState[s * 48 + c]!, 0),
    );
    const length = Math.hypot(...mean);
    for (let c = 0; c < 48; c++) expect(vectors[c]).toBeCloseTo(mean[c]! / length, 6);
    expect(Math.hypot(...vectors.subarray(48))).toBeCloseTo(1, 6);
    expect(model.embed([])).toEqual(new Float32Array());
  });

  it("says what it cannot do", () => {
    const wrong = <T>(value: unknown): T => value as T;
    expect(() => model.fillMask("the captain")).toThrow(
      /^fillMask: `text` is "the captain"; allowed: a text with \[MASK\]/,
    );
    expect(() => model.fillMask("[MASK]", { topK: 0 })).toThrow(/^fillMask: `topK` is 0/);
    expect(() => model.encode(wrong(5))).toThrow("encode: `text` is 5; allowed: a text");
    expect(() => model.embed(wrong("text"))).toThrow('embed: `texts` is "text"; allowed: an array of texts');
    expect(() => model.embed(["a", wrong(null)])).toThrow("embed: `texts[1]` is null; allowed: a text");
    expect(() => model.classify("the")).toThrow("classify: this checkpoint has no sequence classification head");
  });
});

it("a vocabulary with capitals keeps them", async () => {
  using model = await ropewalk.roformer({ config, weights, tokenizer: vocabulary.replace("captain", "Captain") });
  expect(model.encode("the Captain captain").inputIds).toEqual([2, 5, 6, 1, 3]);
});
