/** Offsets of tokens: those of the package `tokenizers` on every kind of tokenizer, and the methods that give them. */
import { readdirSync } from "node:fs";
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import type { Offsets } from "../../bindings/ts/model/text/encoded.js";
import { loadTokenizer, type Tokenizer } from "../../bindings/ts/model/text/tokenizer.js";
import { namesFiles } from "../package/names-model.js";
import { goldenUrl, readGolden } from "./golden.js";
import { roformerFiles } from "./model-folder.js";
import { random, randomTensors } from "./safetensors-file.js";

interface Expected {
  ids: number[];
  offsets: Offsets[];
}
interface Golden {
  tokenizer: object;
  texts: (Expected & { text: string })[];
  pairs: (Expected & { pair: [string, string] })[];
}

/** The library takes no second text where nothing is put around the first. */
const NO_PAIRS = ["gpt2"];

/** Texts of which the library that the package uses makes other tokens than the package `tokenizers`, and why. */
const OTHER_TOKENS: Readonly<Record<string, string[]>> = {
  clip: ["\u0130stanbul \u00c9COLE STRASSE \u1e9e \u0391\u03a3"], // the sigma at the end of a word
  // Marks in a row stay one, and are numbers of circles and halves.
  deberta: [
    "\ufb01sh \uff21\uff22\uff23 x\u00b2 \u2460 \u2126 \u00bd",
    "``Quoted'' words -- don't, they're it's!",
    "the [MASK] gave <mask> to  <mask>  Tom<mask>.",
  ],
  // Ideographs of two code units are no words of their own.
  "wordpiece-cased": ["\u{20000}\u{20001}"],
  "wordpiece-uncased": ["\u{20000}\u{20001}"],
  // NFKC in the place of the table.
  "xlm-roberta": ["u\u0323\u0308 x\u0308\u0323y", "선장은 \u1109\u1165\u11ab장 배"],
};

const names = readdirSync(goldenUrl("offsets"))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(".json", ""));

async function opened(name: string): Promise<{ golden: Golden; tokenizer: Tokenizer }> {
  const golden = readGolden<Golden>(`offsets/${name}.json`);
  const tokenizer = await loadTokenizer({ fn: "encode", argument: "tokenizer.json", source: golden.tokenizer });
  await tokenizer.loadOffsets();
  return { golden, tokenizer };
}

function placed(tokenizer: Tokenizer, ...texts: [string, string?]): Expected {
  const framed = tokenizer.encode("encode", ...texts);
  tokenizer.addOffsets("encode", framed, [texts[0], texts[1]], false);
  return { ids: framed.encoded.inputIds, offsets: framed.encoded.offsets! };
}

it("there are ten tokenizers", () => expect(names).toHaveLength(10));

it.each(["normalizer", "pre_tokenizer", "post_processor"])("a sequence as %s may name no steps", async (part) => {
  const { tokenizer: file } = readGolden<Golden>("offsets/wordpiece-cased.json");
  const source = { ...file, [part]: { type: "Sequence" } };
  const tokenizer = await loadTokenizer({ fn: "encode", argument: "tokenizer.json", source });
  await tokenizer.loadOffsets();
  const { ids, offsets } = placed(tokenizer, "the rope");
  expect(offsets).toHaveLength(ids.length);
});

describe.each(names)("%s", async (name) => {
  const { golden, tokenizer } = await opened(name);
  const others = OTHER_TOKENS[name] ?? [];

  it.each(golden.texts.filter(({ text }) => !others.includes(text)))("$text", ({ text, ids, offsets }) => {
    expect(placed(tokenizer, text)).toEqual({ ids, offsets });
  });

  it.each(NO_PAIRS.includes(name) ? [] : golden.pairs)("$pair.0 and $pair.1", ({ pair, ids, offsets }) => {
    expect(placed(tokenizer, ...pair)).toEqual({ ids, offsets });
  });

  it.each(golden.texts.filter(({ text }) => others.includes(text)))("has other tokens: $text", ({ text, ids }) => {
    expect(placed(tokenizer, text).ids).not.toEqual(ids);
  });

  it("has offsets in order, within any text, and never half a character", () => {
    const next = random(3);
    const marks = ["\u0301", "\u0308\u0323", "\u3099", "\uff9e", "\u1161", "\u11a8", "\u200d", "\ufe0f", "\u093e"];
    const letters = [
      "a",
      "B",
      " ",
      "  ",
      "é",
      "ß",
      "İ",
      "Σ",
      "カ",
      "ｶ",
      "\u1100",
      "가",
      "船",
      "😀",
      "𝕏",
      "ﬁ",
      "½",
      "㍿",
      "\n",
    ];
    const pool = [...letters, ...letters, ...marks, "\u0000", "\ud800", "\udc00", "▁", "``", "[MASK]", "<mask>", "क"];
    for (let i = 0; i < 300; i++) {
      const text = Array.from({ length: 1 + next() * 12 }, () => pool[Math.floor(next() * pool.length)]!).join("");
      const { ids, offsets } = placed(tokenizer, text);
      expect(offsets).toHaveLength(ids.length);
      let last = 0;
      for (const [start, end] of offsets.filter(([, end]) => end > 0)) {
        expect(start, text).toBeLessThanOrEqual(end);
        expect(end, text).toBeGreaterThanOrEqual(last);
        expect(end, text).toBeLessThanOrEqual(text.length);
        for (const at of [start, end]) {
          const isWithin = text.codePointAt(at - 1)! > 0xffff;
          expect(isWithin, `${JSON.stringify(text)} at ${at}`).toBe(false);
        }
        last = end;
      }
    }
  });
});

describe("a model", () => {
  const text = "Anna Berg wrote to Tom.";

  it("says where its classes stand, here and in a worker", async () => {
    const ropewalk = await load();
    for (const workers of [undefined, 1]) {
      const model = await ropewalk.encoder(new Map(namesFiles()), { workers });
      const plain = await model.classifyTokens(text);
      const found = await model.classifyTokens(text, { offsets: true });
      expect(found.map(({ offsets: _, ...others }) => others)).toEqual(plain);
      const written = found.map(({ offsets }) => text.slice(...offsets!));
      expect(written).toEqual(["Anna", "Be", "rg", "wrote", "to", "Tom", "."]);
      model.dispose();
    }
  });

  it("gives them with ids where it was opened for that", async () => {
    const ropewalk = await load();
    const model = await ropewalk.encoder(new Map(namesFiles()), { offsets: true });
    const { tokens, offsets } = model.encode("Tom 😀", "Anna", { offsets: true });
    expect(tokens).toEqual(["[CLS]", "Tom", "[UNK]", "[SEP]", "Anna", "[SEP]"]);
    expect(offsets).toEqual([
      [0, 0],
      [0, 3],
      [4, 6],
      [0, 0],
      [0, 4],
      [0, 0],
    ]);
    expect(model.encode("Tom")).not.toHaveProperty("offsets");
    model.dispose();
    const other = await ropewalk.encoder(new Map(namesFiles()));
    expect(() => other.encode("Tom", undefined, { offsets: true })).toThrow(
      "encode: `offsets` is true; allowed: false, unless `encoder` was given `offsets: true` as well",
    );
    expect(() => other.encode("Tom", undefined, { offsets: 1 as never })).toThrow(
      "encode: `offsets` is 1; allowed: true or",
    );
    expect(() => other.encode("Tom", undefined, { return_offsets_mapping: true } as never)).toThrow(
      "did you mean `offsets`?",
    );
    await expect(other.classifyTokens("Tom", { offsets: "yes" as never })).rejects.toThrow(
      'classifyTokens: `offsets` is "yes"',
    );
    await expect(ropewalk.encoder(new Map(namesFiles()), { offsets: null as never })).rejects.toThrow(
      "encoder: `offsets` is null",
    );
    other.dispose();
  });

  it("reads a tokenizer.json that leaves out the steps that it has not", async () => {
    const model = { type: "WordPiece", unk_token: "[UNK]", vocab: { "[UNK]": 0, Anna: 1, Tom: 2 } };
    const pre_tokenizer = { type: "Whitespace" };
    for (const post_processor of [{}, { post_processor: undefined }, { post_processor: null }]) {
      const source = { model, pre_tokenizer, ...post_processor };
      const tokenizer = await loadTokenizer({ fn: "encoder", argument: "tokenizer.json", source });
      await tokenizer.loadOffsets();
      const framed = tokenizer.encode("encode", "Tom Anna");
      tokenizer.addOffsets("encode", framed, ["Tom Anna", undefined], false);
      expect(framed.encoded).toMatchObject({
        inputIds: [2, 1],
        offsets: [
          [0, 3],
          [4, 8],
        ],
      });
    }
  });

  it("cuts them with its tokens", async () => {
    const model = await (await load()).encoder(new Map(namesFiles()));
    const found = await model.classifyTokens("Tom ".repeat(100), { offsets: true });
    expect(found).toHaveLength(62);
    expect(found.at(-1)!.offsets).toEqual([61 * 4, 61 * 4 + 3]);
    model.dispose();
  });

  it("says where an answer stands in the context, as it was written", async () => {
    const tensor = randomTensors(5);
    const head = [tensor("qa_outputs.weight", 2, 48), tensor("qa_outputs.bias", 2)];
    const model = await (await load()).encoder(roformerFiles("RoFormerForQuestionAnswering", 2, head));
    const context = "The Captain gave  the ROPÉ to the Sailor.";
    const found = await model.answer("Who has it?", context, { topK: 20, offsets: true });
    expect(found).toHaveLength(20);
    for (const { text: answer, offsets } of found) {
      const written = context.slice(...offsets!);
      const lower = written.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
      expect(lower.split(/\s+|(?=\.)/).join(" ")).toBe(answer.replace(/(?<=\S)\./, " ."));
    }
    expect(found.map(({ offsets: _, ...others }) => others)).toEqual(
      await model.answer("Who has it?", context, { topK: 20 }),
    );
    model.dispose();
  });

  it("follows a text to lower case, which may be longer", async () => {
    const { tokenizer } = await opened("gpt2");
    const text = "\u0130\u0130 x";
    const framed = tokenizer.encode("encode", text.toLowerCase());
    tokenizer.addOffsets("encode", framed, [text, undefined], true);
    const { offsets } = framed.encoded;
    expect(text.toLowerCase()).toHaveLength(6);
    expect(offsets!.slice(0, 2)).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(offsets!.at(-1)).toEqual([3, 4]);
  });
});
