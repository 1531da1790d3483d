/** The encoder in web/public/embedder, which the page Search has: it finds sentences by who did what to whom. */
import { readFileSync, statSync } from "node:fs";
import { type Encoder, load } from "ropewalk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRoot } from "./files.js";

const folder = fromRoot("web/public/embedder");
const json = (name: string) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));

describe("the shipped encoder", () => {
  let model: Encoder;
  beforeAll(async () => {
    // In 8 bits every machine computes the same vectors.
    model = await (await load()).encoder(folder, { precision: "int8" });
  });
  afterAll(() => model.dispose());

  async function cosines(encoder: Encoder, query: string, ...texts: string[]): Promise<number[]> {
    const [asked, ...others] = await encoder.embed([query, ...texts]);
    return others.map((vector) => vector.reduce((sum, x, i) => sum + x * asked![i]!, 0));
  }

  it("is small, and reads its files without a doubt", () => {
    expect(model.parameterCount).toBeLessThanOrEqual(1_800_000);
    expect(model.parameterCount).toBe(json("report.json").model.parameters);
    expect(statSync(`${folder}/model.safetensors`).size).toBeLessThan(2_000_000);
    expect(model.notes).toEqual([]);
  });

  it.each([
    // the query, the same event, another with the same words or almost the same
    [
      "the captain got the rope from the sailor",
      "the sailor gave the rope to the captain",
      "the captain gave the rope to the sailor",
    ],
    [
      "the rope was given to the captain by the sailor",
      "the seaman gave the skipper the line",
      "the captain gave the sailor the rope",
    ],
    ["anna bought a ring from tom .", "tom sold anna the ring", "anna sold tom the ring"],
    ["the king was helped by the girl", "it was the lass who assisted the king", "the girl was helped by the king"],
    [
      "the queen met the boy . she gave him a book",
      "the boy got a book from the queen",
      "the boy gave the queen a book",
    ],
    ["the king is older than the queen", "the queen is younger than the king", "the queen is older than the king"],
    [
      "the poet slept before the singer laughed",
      "the singer laughed after the poet slept",
      "the singer slept before the poet laughed",
    ],
    [
      "hugo ran from the harbour to the market",
      "hugo left the port and ran to the market",
      "hugo ran from the market to the harbour",
    ],
  ])("finds “%s”", async (query, same, other) => {
    const [found, twin] = await cosines(model, query, same, other);
    expect(found).toBeGreaterThan(twin! + 0.05);
  });

  it("cannot tell sentences of the same words apart without rotation", async () => {
    using plain = await (await load()).encoder({
      "config.json": { ...json("config.json"), position_encoding: "none" },
      "model.safetensors": readFileSync(`${folder}/model.safetensors`),
      "tokenizer.json": json("tokenizer.json"),
    });
    const [one] = await cosines(
      plain,
      "the captain gave the rope to the sailor",
      "the sailor gave the rope to the captain",
    );
    expect(one).toBeCloseTo(1, 5);
  });

  it("beats words alone on phrasings that training did not have, as its report says", () => {
    const { heldOutPhrasings, learnedPhrasings } = json("report.json");
    for (const { queries, candidates, methods } of [heldOutPhrasings, learnedPhrasings]) {
      expect(queries).toBe(2000);
      expect(candidates).toBe(2000);
      for (const other of ["withoutRotation", "bm25", "meanOfItsWordVectors"])
        expect(methods.model.recallAt1).toBeGreaterThan(methods[other].recallAt1);
      expect(methods.model.recallAt1).toBeGreaterThan(0.75);
      expect(methods.model.recallAt10).toBeGreaterThan(0.95);
    }
  });
});
