import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { type EncoderOutput, load } from "ropewalk";
import { unrotated } from "../../web/model/unrotated.js";
import { expect, openRoformer, readNumber, test, textOf, textsOf } from "./site.js";

const text = "the captain gave the rope to the sailor . now the [MASK] has the rope .";
const [layer, head, from, to] = [2, 1, 12, 8];
const heads = 4;
const address = `#roformer?layer=${layer}&head=${head}&from=${from}&to=${to}&distance=-3`;

interface Expected extends EncoderOutput {
  readonly size: number;
}

/** The answer of the shipped model in Node. */
async function forward(): Promise<Expected> {
  const read = (name: string) => readFileSync(`dist-site/model/${name}`);
  const parse = (name: string) => JSON.parse(read(name).toString()) as object;
  const ropewalk = await load();
  using model = await ropewalk.encoder({
    "config.json": parse("config.json"),
    "model.safetensors": read("model.safetensors"),
    "tokenizer.json": parse("tokenizer.json"),
  });
  const { inputIds, tokenTypeIds, attentionMask } = model.encode(text);
  const input = { inputIds, tokenTypeIds, attentionMask, sequence: inputIds.length };
  return { ...model.forward(input, { scores: true, rotatedQK: true }), size: inputIds.length };
}

async function rowsOf(page: Page, figure: string): Promise<number[][]> {
  const place = page.getByRole("figure", { name: figure });
  await place.getByText("Table and files").click();
  await expect(place.getByRole("row").nth(1)).toBeVisible();
  const rows = await textsOf(place.getByRole("row"));
  return rows.slice(1).map((row) => row.split("\t").map(readNumber));
}

test("the arrows of a pair of tokens are the model’s queries and keys, and sum to its score", async ({ page }) => {
  await openRoformer(page, address);
  const { rotatedQueries, rotatedKeys, scores, size } = await forward();
  const rows = await rowsOf(page, "Query and key, pair by pair");
  const d = 2 * rows.length;
  const at = (values: Float32Array, token: number) => {
    const first = (token * heads + head) * d;
    return values.subarray(first, first + d);
  };
  const ropewalk = await load();
  using rope = ropewalk.rope({ headDim: d, pairing: "interleaved" });
  const [q, k] = [at(rotatedQueries![layer]!, from), at(rotatedKeys![layer]!, to)];
  const plainQ = rope.unrotate(q.slice(), { sequence: 1, heads: 1, positions: from });
  const plainK = rope.unrotate(k.slice(), { sequence: 1, heads: 1, positions: to });
  for (const [pair, [, , ...numbers]] of rows.entries()) {
    const wanted = [plainQ, plainK, q, k].flatMap((vector) => [vector[2 * pair]!, vector[2 * pair + 1]!]);
    wanted.push(q[2 * pair]! * k[2 * pair]! + q[2 * pair + 1]! * k[2 * pair + 1]!);
    for (const [i, value] of wanted.entries()) expect(numbers[i]).toBeCloseTo(value, 3);
  }
  const score = scores![layer]![(head * size + from) * size + to]!;
  expect(readNumber(await textOf(page.locator(".reading-line strong").last()))).toBeCloseTo(score, 3);
});

test("scores against distance are the means of the model’s own, and the link’s distance is read", async ({ page }) => {
  await openRoformer(page, address);
  const { scores, size } = await forward();
  const rows = await rowsOf(page, "Mean score against distance");
  expect(rows).toHaveLength(2 * size - 1);
  for (const [distance, mean, count] of rows) {
    const all = Array.from({ length: size * size }, (_, i) => i).filter(
      (i) => Math.floor(i / size) - (i % size) === distance,
    );
    const sum = all.reduce((total, i) => total + scores![layer]![head * size * size + i]!, 0);
    expect(count).toBe(all.length);
    expect(mean).toBeCloseTo(sum / all.length, 3);
  }
  const reading = page.getByRole("figure", { name: "Mean score against distance" }).locator(".cursor-values");
  await expect(reading).toContainText("at −3 the mean score is");
  await page.getByRole("slider", { name: "distance", exact: true }).press("ArrowRight");
  await expect(reading).toContainText("at −2 the mean score is");
  await expect(page).toHaveURL(/distance=-2/);
});

test("the words at a chosen token are those of the greatest logits, mask or not", async ({ page }) => {
  await openRoformer(page, address);
  const { logits, size } = await forward();
  const card = page.locator(".guesses");
  // The mask’s own are those that fill it: they are listed once.
  await expect(page.locator(".fill .fill-word")).toHaveCount(8);
  await expect(card).toHaveCount(0);
  await page.locator(".map-field").focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowUp");
  await expect(card.getByRole("heading")).toHaveText(`Prediction at “.”, position ${from - 3}`);
  const vocabulary = logits!.length / size;
  const row = Array.from(logits!.subarray((from - 3) * vocabulary, (from - 2) * vocabulary));
  const shown = await card.locator(".guess-share .hint").allTextContents();
  const best = [...row].sort((a, b) => b - a).slice(0, shown.length);
  expect(shown).toHaveLength(8);
  for (const [i, logit] of shown.entries()) expect(readNumber(logit)).toBeCloseTo(best[i]!, 1);
});

test("queries of any frequency rule are turned back to what they were", async () => {
  const ropewalk = await load();
  const config = {
    model_type: "roformer",
    vocab_size: 11,
    hidden_size: 32,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 32,
    max_position_embeddings: 16,
  };
  using trainer = await ropewalk.trainer({ config, seed: 3 });
  const weights = trainer.save();
  const inputIds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const plainOf = async (change: object) => {
    const changed = { ...config, ...change };
    using model = await ropewalk.encoder({ "config.json": changed, "model.safetensors": weights });
    const output = model.forward({ inputIds, sequence: inputIds.length }, { rotatedQK: true });
    const rotated = { queries: output.rotatedQueries!, keys: output.rotatedKeys! };
    const { plain, thetas } = await unrotated(rotated, changed, inputIds.length, 2);
    return { plain: Array.from(plain.queries[0]!), thetas };
  };
  const usual = await plainOf({});
  expect(usual.thetas).toHaveLength(8);
  for (const change of [
    { position_encoding: "none" },
    { rope_theta: 100 },
    { rope_scaling: { rope_type: "linear", factor: 2 } },
    { rope_scaling: { rope_type: "dynamic", factor: 2 } },
    { rope_scaling: { rope_type: "yarn", factor: 4, original_max_position_embeddings: 16 } },
  ]) {
    const { plain } = await plainOf(change);
    for (const [i, value] of plain.entries()) expect(value).toBeCloseTo(usual.plain[i]!, 4);
  }
});
