/** The scores that the softmax of attention is taken of, with what each position encoding adds to them. */
import { load, type PositionEncoding } from "ropewalk";
import { expect, it } from "vitest";
import { tiny } from "./training-data.js";

const ropewalk = await load();
const [batch, sequence, heads, dim] = [2, 5, 2, 16];
const inputIds = [3, 4, 5, 4, 6, 7, 8, 3, 9, 2];

async function run(encoding: PositionEncoding, mask?: number[]) {
  using trainer = await ropewalk.trainer({ config: tiny({ position_encoding: encoding }), seed: 5 });
  using model = await ropewalk.encoder({ "config.json": trainer.config, "model.safetensors": trainer.save() });
  const input = { inputIds, batch, sequence, ...(mask && { attentionMask: mask }) };
  return model.forward(input, { scores: true, attentions: true, rotatedQK: true });
}

const withScores: PositionEncoding[] = [
  "none",
  "sinusoidal",
  "learned",
  "transformer-xl",
  "t5",
  "alibi",
  "alibi-asymmetric",
  "rope",
  "rope-receptive-field",
  "pope",
  "rope-plus-plus",
  "clipped-rope",
  "distance-bias",
];

it.each(withScores)("%s: attention is the softmax of the scores", async (encoding) => {
  const { scores, attentions } = await run(encoding);
  expect(scores).toHaveLength(2);
  for (const [l, layer] of scores!.entries()) {
    expect(layer).toHaveLength(batch * heads * sequence * sequence);
    for (let row = 0; row < layer.length; row += sequence) {
      const weights = layer.slice(row, row + sequence).map(Math.exp);
      const sum = weights.reduce((all, weight) => all + weight, 0);
      for (const [j, weight] of weights.entries()) expect(attentions![l]![row + j]).toBeCloseTo(weight / sum, 5);
    }
  }
});

it("padding is not in the scores", async () => {
  const { scores } = await run("rope");
  const padded = await run("rope", [1, 1, 1, 1, 0, 1, 1, 1, 1, 1]);
  expect(padded.scores![0]).toEqual(scores![0]);
  expect(padded.attentions![0]![4]).toBe(0);
});

it("rope: the scores are the products of the rotated queries and keys", async () => {
  const { scores, rotatedQueries, rotatedKeys } = await run("rope");
  const at = (x: Float32Array, b: number, t: number, h: number) =>
    x.subarray(((b * sequence + t) * heads + h) * dim, ((b * sequence + t) * heads + h + 1) * dim);
  for (let i = 0; i < scores![0]!.length; i++) {
    const [j, q, h, b] = [i % sequence, Math.floor(i / 5) % 5, Math.floor(i / 25) % 2, Math.floor(i / 50)];
    const k = at(rotatedKeys![0]!, b, j, h);
    const product = at(rotatedQueries![0]!, b, q, h).reduce((sum, value, c) => sum + value * k[c]!, 0);
    expect(scores![0]![i]).toBeCloseTo(product / Math.sqrt(dim), 5);
  }
});

it("alibi: what is added is the slope times the distance", async () => {
  const [none, alibi] = [await run("none"), await run("alibi")];
  for (let i = 0; i < none.scores![0]!.length; i++) {
    const [j, q, h] = [i % 5, Math.floor(i / 5) % 5, Math.floor(i / 25) % 2];
    expect(alibi.scores![0]![i]! - none.scores![0]![i]!).toBeCloseTo(-(2 ** (-4 * (h + 1))) * Math.abs(q - j), 5);
  }
});

it.each(["rope-linear-attention", "linear-attention", "rope-performer", "performer"] as const)(
  "%s takes no softmax, and has none",
  async (encoding) => {
    expect((await run(encoding)).scores).toBeUndefined();
  },
);
