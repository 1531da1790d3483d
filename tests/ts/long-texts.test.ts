/** Texts beyond what a model takes at once: pieces, counts, and vectors one after the other. */
import { type Encoder, isRopewalkError, load } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { splitText } from "../../bindings/ts/model/text/split.js";
import { fromRoot } from "./files.js";

const ropewalk = await load();
const model: Encoder = await ropewalk.encoder(fromRoot("web/public/embedder"));
afterAll(() => model.dispose());

const words = (text: string) => text.match(/\S+/g)?.length ?? 0;
const LONG = Array.from(
  { length: 30 },
  (_, i) => `The sailor number ${i} ties a rope. A friend fastens the line!\n\n`,
).join("");

describe("splitText", () => {
  it("ends pieces where paragraphs, sentences and words end", () => {
    const text = "One two three. Four five.\n\nSix seven eight nine ten.";
    const pieces = splitText(text, words, 5, 0).map((piece) => piece.text);
    expect(pieces).toEqual(["One two three. Four five.", "Six seven eight nine ten."]);
    expect(splitText(text, words, 3, 0).map((piece) => piece.text)).toEqual([
      "One two three.",
      "Four five.\n\nSix",
      "seven eight nine",
      "ten.",
    ]);
    expect(splitText("", words, 3, 0)).toEqual([]);
  });

  it.each([
    [5, 0],
    [16, 4],
    [40, 10],
  ])("gives pieces of at most %i tokens that cover the text, with up to %i of the one before", (most, overlap) => {
    const pieces = model.splitText(LONG, { maxTokens: most + 2, overlap });
    let reached = 0;
    for (const { text, start, end, tokens } of pieces) {
      expect(LONG.slice(start, end)).toBe(text);
      expect(tokens).toBeLessThanOrEqual(most);
      expect(model.countTokens(text)).toBe(tokens + 2);
      // Nothing but white space lies between two pieces.
      if (start > reached) expect(LONG.slice(reached, start).trim()).toBe("");
      expect(end).toBeGreaterThan(reached);
      reached = end;
    }
    expect(LONG.slice(reached).trim()).toBe("");
    if (overlap > 0) expect(pieces.some(({ start }, i) => i > 0 && start < pieces[i - 1]!.end)).toBe(true);
  });

  it("cuts a word that is too long, and no character", () => {
    const pieces = splitText("\u{1f600}".repeat(9), (text) => text.length, 4, 0);
    expect(pieces.map(({ text }) => text).join("")).toBe("\u{1f600}".repeat(9));
    for (const { text } of pieces) expect(text).toMatch(/^(\u{1f600})+$/u);
  });

  it("refuses sizes that leave nothing", () => {
    expect(() => model.splitText("a", { maxTokens: 2 })).toThrow(
      "splitText: `maxTokens` is 2; allowed: a number of at least 3",
    );
    expect(() => model.splitText("a", { maxTokens: 5, overlap: 3 })).toThrow(/`overlap` is 3/);
    expect(() => model.splitText("a", { chunkSize: 3 } as never)).toThrow("unknown option `chunkSize`");
  });
});

describe("embedEach", () => {
  it("gives the vectors of embed in order, and reads texts as it needs them", async () => {
    const texts = Array.from({ length: 700 }, (_, i) => `a sailor ties ${"rope ".repeat(i % 13)}`);
    let read = 0;
    async function* source() {
      for (const text of texts) {
        read++;
        yield text;
      }
    }
    const seen: number[] = [];
    const vectors: Float32Array[] = [];
    for await (const vector of model.embedEach(source(), { onProgress: (done) => seen.push(done) })) {
      if (vectors.length === 0) expect(read).toBeLessThan(texts.length);
      vectors.push(vector);
    }
    expect(vectors).toEqual(await model.embed(texts));
    expect(seen.at(-1)).toBe(700);
    expect(seen.length).toBeGreaterThan(1);
  });

  it("ends with its signal, and refuses what is no text", async () => {
    const controller = new AbortController();
    const each = model.embedEach(Array(5000).fill("a rope"), { signal: controller.signal });
    await each.next();
    controller.abort(new Error("enough"));
    await expect(
      (async () => {
        for await (const _ of each);
      })(),
    ).rejects.toThrow("enough");
    await expect(model.embedEach(["a", 3 as never]).next()).rejects.toThrow(
      "embedEach: `texts[1]` is 3; allowed: a text",
    );
    await expect(model.embedEach("a rope" as never).next()).rejects.toThrow(TypeError);
  });
});

it("decodes, and refuses unknown options with the name that was meant", async () => {
  expect(model.decode(model.encode("a rope").inputIds)).toBe("a rope");
  const error: unknown = await model.embed("a", { batchSize: 32 } as never).catch((found: unknown) => found);
  expect(isRopewalkError(error) && error.message).toBe(
    "embed: unknown option `batchSize`: batches are made by length, so there is none",
  );
  await expect(model.embed("a", { normalise: true } as never)).rejects.toThrow("did you mean `normalize`?");
  await expect(ropewalk.encoder("x", { dtype: "q8" } as never)).rejects.toThrow(
    "encoder: unknown option `dtype`; did you mean `precision`?",
  );
  await expect(ropewalk.encoder("owner/name")).rejects.toThrow('write hubFiles("owner/name")');
  expect(isRopewalkError(new Error("x"))).toBe(false);
});
