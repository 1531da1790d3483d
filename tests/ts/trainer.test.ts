/** The trainer against the reference values of tests/golden/training, and what it promises of runs and files. */
import { readdirSync, readFileSync } from "node:fs";
import { type EncoderOutput, load, type PositionEncoding, type TrainerOptions } from "ropewalk";
import { describe, expect, it } from "vitest";
import { goldenBytes, goldenUrl, readGolden } from "./golden.js";
import { expectSameMemory } from "./memory.js";
import { differenceOf } from "./near.js";
import { copyLeft, type LabelledBatch, random, tiny, whichFirst } from "./training-data.js";

const ropewalk = await load();

interface Case {
  shape: [number, number];
  input_ids: number[];
  token_type_ids: number[];
  labels: number[];
  loss: number;
  logits: number[];
  gradients: Record<string, number[]>;
}

/** Mean cross-entropy in float64, from what a model says. */
function lossOf({ logits }: EncoderOutput, { labels }: LabelledBatch): number {
  const words = logits!.length / labels.length;
  const losses = Array.from(labels).flatMap((label, i) => {
    if (label === -100) return [];
    const row = logits!.subarray(i * words, (i + 1) * words);
    return Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0)) - row[label]!;
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

const goldenCases = readdirSync(goldenUrl("training"));

describe.each(goldenCases)("golden training: %s", async (name) => {
  const config = readGolden<object>(`training/${name}/config.json`);
  const weights = goldenBytes(`training/${name}/model.safetensors`);
  const expected = readGolden<Case>(`training/${name}/expected.json`);
  const batch: LabelledBatch = {
    inputIds: expected.input_ids,
    batch: expected.shape[0],
    sequence: expected.shape[1],
    tokenTypeIds: expected.token_type_ids,
    labels: expected.labels,
  };
  const trainer = await ropewalk.trainer({ config, weights });

  it("loss and gradients", () => {
    const { loss, gradients } = trainer.gradients(batch);
    expect(Math.abs(loss / expected.loss - 1)).toBeLessThan(1e-6);
    expect(trainer.evaluate(batch).loss).toBe(loss);
    expect([...gradients.keys()].sort()).toEqual(Object.keys(expected.gradients).sort());
    for (const [parameter, values] of gradients) {
      const reference = expected.gradients[parameter]!;
      const size = Math.max(...reference.map(Math.abs));
      // A softmax does not see a bias that all keys share: its gradient is 0 but for rounding.
      const tolerance = size < 1e-12 ? 1e-7 : 1e-4 * size;
      expect(differenceOf(values, reference).absolute, parameter).toBeLessThanOrEqual(tolerance);
    }
    expect(trainer.step).toBe(0);
  });

  it("logits, of the checkpoint and of what the trainer saves", async () => {
    for (const file of [weights, trainer.save()]) {
      using model = await ropewalk.encoder({ "config.json": config, "model.safetensors": file });
      expect(model.notes).toEqual([]);
      expect(model.parameterCount).toBe(trainer.parameterCount);
      expect(differenceOf(model.forward(batch).logits, expected.logits).absolute).toBeLessThan(5e-5);
    }
  });
});

it("has a golden case for each encoding of the paper's comparison, and for the rivals of rotation", () => {
  expect(goldenCases.length).toBe(13);
});

/** Every name, or this does not compile. */
const encodings: Record<PositionEncoding, object> = {
  rope: { rope_scaling: { rope_type: "yarn", factor: 4, original_max_position_embeddings: 8 } },
  "rope-receptive-field": {},
  "rope-linear-attention": {},
  "rope-performer": { performer_features: 24 },
  none: {},
  sinusoidal: {},
  learned: {},
  "transformer-xl": {},
  t5: {},
  alibi: {},
  "alibi-asymmetric": {},
  "linear-attention": {},
  performer: { performer_features: 24 },
  pope: { rope_theta: 500 },
  "rope-plus-plus": {},
  "clipped-rope": { rotary_clip: 3 },
  "distance-bias": { relative_extent: 4, relative_profiles: 3 },
};

it.each(Object.entries(encodings))(
  "trains with %s, and what it saves says the same in a RoFormer",
  async (name, keys) => {
    const config = tiny({ position_encoding: name, ...keys });
    using trainer = await ropewalk.trainer({ config, seed: 3 });
    const next = random(4);
    for (let i = 0; i < 5; i++) trainer.train(copyLeft(next, 16));
    const batch = copyLeft(next, 16);
    using model = await ropewalk.encoder({ "config.json": trainer.config, "model.safetensors": trainer.save() });
    expect(model.notes).toEqual([]);
    expect(lossOf(model.forward(batch), batch)).toBeCloseTo(trainer.evaluate(batch).loss, 5);
  },
);

it("learns what only order tells", async () => {
  const optimizer = { learningRate: 5e-3, warmupSteps: 30, totalSteps: 400 };
  using trainer = await ropewalk.trainer({ config: tiny(), seed: 1, optimizer });
  const next = random(8);
  const first = trainer.train(copyLeft(next, 32));
  expect(first.learningRate).toBeCloseTo(5e-3 / 30, 12);
  expect(first.gradientNorm).toBeGreaterThan(0);
  expect(Math.abs(first.loss - Math.log(12))).toBeLessThan(0.6);
  while (trainer.step < 400) trainer.train(copyLeft(next, 32));
  const heldOut = trainer.evaluate(copyLeft(next, 256));
  expect(heldOut.loss).toBeLessThan(0.2);
  expect(heldOut.accuracy).toBeGreaterThan(0.95);
});

it("classifies", async () => {
  const config = tiny({ num_labels: 2 });
  const optimizer = { learningRate: 3e-3, warmupSteps: 20 };
  const options: TrainerOptions = { config, seed: 2, objective: "classification", optimizer };
  using trainer = await ropewalk.trainer(options);
  const next = random(9);
  for (let i = 0; i < 200; i++) trainer.train(whichFirst(next, 32));
  const batch = whichFirst(next, 100);
  expect(trainer.evaluate(batch).accuracy).toBeGreaterThan(0.95);
  const weights = trainer.save();
  using model = await ropewalk.encoder({ "config.json": config, "model.safetensors": weights });
  const { classLogits } = model.forward(batch);
  const right = Array.from(batch.labels).filter(
    (label, i) => classLogits![2 * i + label]! > classLogits![2 * i + 1 - label]!,
  );
  expect(right.length / 100).toBe(trainer.evaluate(batch).accuracy);
  using again = await ropewalk.trainer({ ...options, weights });
  expect(again.evaluate(batch)).toEqual(trainer.evaluate(batch));
});

it("trains a causal model on the tokens that follow, given or not", async () => {
  const folder = "decoders/train-roformer-causal";
  const expected = readGolden<Case>(`${folder}/expected.json`);
  using trainer = await ropewalk.trainer({
    config: readGolden<object>(`${folder}/config.json`),
    weights: goldenBytes(`${folder}/model.safetensors`),
    objective: "causal-language-model",
  });
  const [batch, sequence] = expected.shape;
  const input = { inputIds: expected.input_ids, batch, sequence };
  const { loss } = trainer.evaluate({ ...input, labels: expected.labels });
  expect(Math.abs(loss / expected.loss - 1)).toBeLessThan(1e-6);
  const labels = expected.input_ids.map((_, i) => ((i + 1) % sequence === 0 ? -100 : expected.input_ids[i + 1]!));
  expect(trainer.evaluate(input)).toEqual(trainer.evaluate({ ...input, labels }));
});

it("trains sentence vectors from pairs", async () => {
  const config = tiny({ hidden_dropout_prob: 0, attention_probs_dropout_prob: 0 });
  const optimizer = { learningRate: 5e-3 };
  const contrastive = { temperature: 0.1, pooling: "mean" } as const;
  using trainer = await ropewalk.trainer({ config, seed: 2, optimizer, objective: "contrastive", contrastive });
  // Pair i has the same three tokens in both of its texts, in another order.
  const inputIds = Array.from({ length: 6 }, (_, i) => [i, i + 2, i + 4, i + 4, i, i + 2]).flat();
  const pairs = { inputIds, batch: 12, sequence: 3 };
  const before = trainer.evaluate(pairs);
  for (let i = 0; i < 80; i++) trainer.train(pairs);
  expect(trainer.evaluate(pairs).accuracy).toBe(1);
  expect(trainer.evaluate(pairs).loss).toBeLessThan(before.loss);
  // It saves an encoder whose mean-pooled vectors are those of the loss.
  using model = await ropewalk.encoder({ "config.json": config, "model.safetensors": trainer.save() });
  const { sentenceEmbedding } = model.forward(pairs, { pooled: true, pooling: "mean" });
  const width = model.dimensions;
  const vector = (row: number) => sentenceEmbedding!.subarray(row * width, (row + 1) * width);
  const cosine = (a: number, b: number) => vector(a).reduce((sum, x, i) => sum + x * vector(b)[i]!, 0);
  let loss = 0;
  for (let i = 0; i < 6; i++) {
    const row = Array.from({ length: 6 }, (_, j) => Math.exp(cosine(2 * i, 2 * j + 1) / 0.1));
    const column = Array.from({ length: 6 }, (_, j) => Math.exp(cosine(2 * j, 2 * i + 1) / 0.1));
    for (const logits of [row, column]) loss -= Math.log(logits[i]! / logits.reduce((sum, x) => sum + x)) / 12;
  }
  expect(trainer.evaluate(pairs).loss).toBeCloseTo(loss, 4);
});

describe("runs", () => {
  const config = tiny({ hidden_dropout_prob: 0.1, attention_probs_dropout_prob: 0.1 });
  const optimizer = { warmupSteps: 5, totalSteps: 30 };

  async function afterSteps(options: Partial<TrainerOptions>, steps: number, before = 0): Promise<Buffer<ArrayBuffer>> {
    using trainer = await ropewalk.trainer({ config, seed: 5, optimizer, ...options });
    expect(trainer.step).toBe(before);
    const next = random(21);
    for (let i = 0; i < before; i++) copyLeft(next, 16);
    for (let i = 0; i < steps; i++) trainer.train(copyLeft(next, 16));
    expect(trainer.step).toBe(before + steps);
    // Compared as a Buffer, since toEqual takes a second for as many bytes.
    return Buffer.from(trainer.save({ optimizer: true }).buffer);
  }

  it("repeat themselves bit for bit; another seed is another run", async () => {
    const once = await afterSteps({}, 8);
    expect(once.equals(await afterSteps({}, 8))).toBe(true);
    expect(once.equals(await afterSteps({ seed: 6 }, 8))).toBe(false);
  });

  it("go on from a file bit for bit", async () => {
    const through = await afterSteps({}, 20);
    expect(through.equals(await afterSteps({ weights: await afterSteps({}, 11) }, 9, 11))).toBe(true);
  });

  it("are not disturbed by evaluating, by gradients and by saving", async () => {
    using trainer = await ropewalk.trainer({ config, seed: 5, optimizer });
    const next = random(21);
    for (let i = 0; i < 8; i++) {
      const batch = copyLeft(next, 16);
      trainer.evaluate(batch);
      trainer.gradients(batch);
      trainer.save();
      trainer.train(batch);
    }
    expect((await afterSteps({}, 8)).equals(trainer.save({ optimizer: true }))).toBe(true);
  });
});

it("saves float16 in half the size, for a RoFormer to load", async () => {
  using trainer = await ropewalk.trainer({ config: tiny(), seed: 7 });
  const batch = copyLeft(random(1), 16);
  const weights = trainer.save({ dtype: "float16" });
  expect(weights.length).toBeLessThan(0.6 * trainer.save().length);
  using model = await ropewalk.encoder({ "config.json": tiny(), "model.safetensors": weights });
  expect(lossOf(model.forward(batch), batch)).toBeCloseTo(trainer.evaluate(batch).loss, 2);
});

it("takes weights from wherever a RoFormer does, and reports progress", async () => {
  const weights = goldenUrl("training/rope/model.safetensors");
  const config = readGolden<object>("training/rope/config.json");
  const steps: number[] = [];
  using trainer = await ropewalk.trainer({ config, weights }, { onProgress: (loaded) => steps.push(loaded) });
  expect(trainer.config).toEqual(config);
  expect(steps.at(-1)).toBe(readFileSync(weights).length);
});

it("keeps its memory on a plateau, and gives all of it back", async () => {
  // The first trainer also loads the code.
  (await ropewalk.trainer({ config: tiny() })).dispose();
  const outside = ropewalk.stats();
  {
    using trainer = await ropewalk.trainer({ config: tiny({ hidden_dropout_prob: 0.1 }), seed: 1 });
    const next = random(2);
    const round = () => {
      const batch = copyLeft(next, 16);
      trainer.train(batch);
      trainer.evaluate(batch);
      trainer.gradients(batch);
      trainer.save({ optimizer: true });
      expect(() => trainer.train({ ...batch, labels: [] })).toThrow(RangeError);
    };
    round();
    round();
    const before = ropewalk.stats();
    expect(before.handles).toBe(outside.handles + 1);
    for (let i = 0; i < 100; i++) round();
    expectSameMemory(ropewalk.stats(), before);
  }
  expectSameMemory(ropewalk.stats(), outside);
});
