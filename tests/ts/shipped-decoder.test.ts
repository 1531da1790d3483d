/** The decoder in web/public/decoder as the package opens it, and its tokenizer. */
import { readFileSync } from "node:fs";
import { type Decoder, load } from "ropewalk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyWay } from "./every-way.js";
import { fromRoot } from "./files.js";

const folder = fromRoot("web/public/decoder");
const report = JSON.parse(readFileSync(`${folder}/report.json`, "utf8"));

describe("the shipped decoder", () => {
  let model: Decoder;
  beforeAll(async () => {
    // In 8 bits every machine computes the same logits.
    model = await (await load()).decoder(folder, { precision: "int8" });
  });
  afterAll(() => model.dispose());

  const best = (text: string): string => {
    using cache = model.cache();
    const logits = cache.feed(model.encode(text));
    return model.decode([logits.indexOf(Math.max(...logits))]);
  };

  it("encodes and decodes its words", () => {
    const ids = model.encode("The Captain gave a rope to anna.");
    expect(ids[0]).toBe(0);
    expect(model.decode(ids)).toBe("the captain gave a rope to anna.");
    expect(model.decode(model.encode("a zebra"), { skipSpecialTokens: false })).toBe("<|endoftext|> a <|unknown|>");
    expect(model.encode("a . <|endoftext|> a").filter((id) => id === 0)).toHaveLength(2);
  });

  it("writes texts that end, and goes by the order of the words", async () => {
    expect(best("the captain gave the rope to the sailor . now the")).toBe("sailor");
    expect(best("the sailor gave the rope to the captain . now the")).toBe("captain");
    const generation = model.generate("the captain gave the rope to the sailor . now the", { maxTokens: 40 });
    expect(await generation.text()).toMatch(/^ sailor has the rope\.$/);
    expect(generation.finishReason).toBe("eos");
  });

  it.each([{}, { temperature: 0.8, topK: 8, seed: 4 }, { temperature: 1, seed: 1 }])(
    "writes the same in every way, with %j",
    async (settings) => {
      const ropewalk = await load();
      const text = await everyWay(
        (options) => ropewalk.decoder(folder, options),
        (int8, options) => int8.generate("the captain", { maxTokens: 60, ...settings, ...options }).text(),
      );
      expect(text.length).toBeGreaterThan(5);
    },
  );

  it("predicts the same after a text before it was cut, if keys rotate, and not if they do not", () => {
    const first = model.encode("the dog chased the cat at the harbour . then anna took the cat home .");
    const second = model.encode("<|endoftext|> the captain gave the rope to the sailor . now the", {
      addSpecialTokens: false,
    });
    const chance = (rotate: boolean) => {
      using cache = model.cache();
      cache.feed([...first, ...second.slice(0, -1)]);
      cache.drop(0, first.length, { rotate });
      const logits = cache.feed(second.slice(-1));
      const most = Math.max(...logits);
      const sum = logits.reduce((all, logit) => all + Math.exp(logit - most), 0);
      return Math.exp(logits[model.encode("sailor", { addSpecialTokens: false })[0]!]! - most) / sum;
    };
    expect(chance(true)).toBeGreaterThan(0.8);
    expect(chance(false)).toBeLessThan(0.5);
  });

  it("is what its report says", () => {
    expect(model.parameterCount).toBe(report.model.parameters);
    expect(model.notes).toEqual([]);
    expect(report.written.map((row: { temperature: number }) => row.temperature)).toEqual([1, 0.8]);
    for (const row of report.written) {
      expect(row.accepted).toBeGreaterThan(0.7);
      expect(row.distinct).toBeGreaterThan(0.8);
    }
  });
});
