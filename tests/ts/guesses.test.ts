/** Tokens that are guessed from the text before, and checked in one pass. */
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { Lookup } from "../../bindings/ts/model/decoder/lookup.js";
import { decoderFiles, openDecoder } from "./decoder-folder.js";
import { idsOf } from "./every-way.js";

const ropewalk = await load();

describe("guesses", async () => {
  const model = await openDecoder();
  const prompt = "w5 w6 w7 w8 w5 w6 w7 w8 w5 w6";
  const cases = [
    {},
    { temperature: 0.8, topK: 4, seed: 3 },
    { temperature: 0.3, repetitionPenalty: 1.3, repetitionWindow: 4, seed: 1 },
    { stop: ["w5 w6"] },
    { maxTokens: 7 },
  ];

  it.each(cases)("change nothing: %j", async (options) => {
    const written = [];
    for (const guesses of [true, false]) {
      using cache = model.cache();
      const generation = model.generate(prompt, { maxTokens: 40, ...options, cache, guesses });
      const tokens = [];
      for await (const token of generation) tokens.push(token);
      const next = await idsOf(model.generate("", { cache, maxTokens: 3, guesses }));
      written.push({ tokens, next, reason: generation.finishReason, held: [...cache.tokens()] });
    }
    expect(written[0]).toEqual(written[1]);
  });

  it.each(cases)("change nothing with a screen of the output matrix, nor does that: %j", async (options) => {
    const written = [];
    let probabilities: number[] | undefined;
    let unknown = 0;
    for (const screen of [false, true]) {
      using int8 = await ropewalk.decoder(decoderFiles(), { context: 64, precision: "int8", screen });
      expect(int8.notes.join()).not.toContain("screen");
      for (const guesses of [true, false]) {
        using cache = int8.cache();
        const generation = int8.generate(prompt, { maxTokens: 40, ...options, cache, guesses });
        const tokens = [];
        const found = [];
        for await (const { logProbability, ...token } of generation) {
          tokens.push(token);
          found.push(logProbability);
        }
        probabilities ??= found;
        for (const [i, each] of found.entries()) {
          if (screen && Number.isNaN(each)) unknown++;
          else expect(each).toBe(probabilities[i]);
        }
        const next = await idsOf(int8.generate("", { cache, maxTokens: 3, guesses }));
        written.push({ tokens, next, reason: generation.finishReason, held: [...cache.tokens()] });
      }
    }
    for (const each of written) expect(each).toEqual(written[0]);
    // Rows are left out for greedy choice and top-k alone.
    const leavesOut = (options as { temperature?: number }).temperature === undefined || "topK" in options;
    expect(unknown > 0).toBe(leavesOut);
  });

  it("leave the cache where the shown text ends, wherever one stops", async () => {
    const all = await idsOf(model.generate(prompt, { maxTokens: 20, guesses: false }));
    for (let shown = 1; shown <= all.length; shown++) {
      const ends = [];
      for (const guesses of [true, false]) {
        using cache = model.cache();
        let count = 0;
        for await (const { id } of model.generate(prompt, { maxTokens: 20, cache, guesses })) {
          expect(id).toBe(all[count]);
          if (++count === shown) break;
        }
        ends.push([[...cache.tokens()], await idsOf(model.generate("", { cache, maxTokens: 4, guesses: false }))]);
      }
      expect(ends[0]).toEqual(ends[1]);
    }
  });

  it("fill the context to its last place", async () => {
    for (const guesses of [true, false]) {
      const generation = model.generate(prompt, { guesses });
      const ids = await idsOf(generation);
      expect(generation.finishReason).toBe("context");
      // 64 are held, and one more came of the last.
      expect(ids).toHaveLength(65 - model.encode(prompt).length);
      expect(ids).toEqual(await idsOf(model.generate(prompt, { guesses: !guesses })));
    }
  });

  it("are switched by true and false, as screens are", async () => {
    await expect(ropewalk.decoder(decoderFiles(), { screen: 1 as never })).rejects.toThrow(
      "decoder: `screen` is 1; allowed: true or false",
    );
    using float32 = await ropewalk.decoder(decoderFiles(), { context: 64, screen: true });
    expect(float32.notes.join()).toContain("`screen` has no effect");
    await expect(model.generate("w5", { guesses: 3 as never }).text()).rejects.toThrow(
      "generate: `guesses` is 3; allowed: true or false",
    );
  });
});

describe("Lookup", () => {
  it("guesses what followed the last two or three tokens where they stood before", () => {
    const lookup = new Lookup([1, 2, 3, 4, 5, 6, 2, 9, 1, 2]);
    expect(lookup.guess(8)).toEqual([3, 4, 5]);
    lookup.push(3);
    expect(lookup.guess(2)).toEqual([4, 5]);
    lookup.push(7);
    expect(lookup.guess(8)).toEqual([]);
    expect(lookup.guess(0)).toEqual([]);
  });

  it("prefers three tokens to two, and the last place to earlier ones", () => {
    expect(new Lookup([1, 2, 3, 40, 9, 2, 3, 41, 1, 2, 3]).guess(1)).toEqual([40]);
    expect(new Lookup([2, 3, 40, 2, 3, 41, 8, 2, 3]).guess(1)).toEqual([41]);
  });

  it("guesses more after right ones, and rests after wrong ones", () => {
    const lookup = new Lookup([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2]);
    lookup.learn(3, 3);
    expect(lookup.guess(9)).toHaveLength(6);
    lookup.learn(6, 6);
    expect(lookup.guess(9)).toHaveLength(7);
    lookup.learn(7, 2);
    expect(lookup.guess(9)).toHaveLength(2);
    lookup.learn(2, 0);
    expect([1, 2, 3].map(() => lookup.guess(9).length)).toEqual([0, 0, 1]);
  });
});
