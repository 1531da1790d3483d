/** Arguments that the trainer refuses, and with which words. Afterwards it goes on as if it had not been asked. */
import { load, type SaveOptions, type TrainerBatch, type TrainerOptions } from "ropewalk";
import { describe, expect, it } from "vitest";
import { goldenBytes } from "./golden.js";
import { expectSameMemory } from "./memory.js";
import { copyLeft, random, tiny } from "./training-data.js";

const ropewalk = await load();
const wrong = <T>(value: unknown): T => value as T;
const config = tiny();
const optimizer = (options: object): TrainerOptions => wrong({ config, optimizer: options });

const options: [string, TrainerOptions, ErrorConstructor, ...string[]][] = [
  ["no options", wrong(undefined), TypeError, "trainer: `options` is undefined"],
  ["no config", wrong({}), TypeError, "trainer: `config` is undefined"],
  ["an unknown option", wrong({ config, sede: 1 }), TypeError, "trainer: unknown option `sede`; did you mean `seed`?"],
  ["a negative seed", { config, seed: -1 }, RangeError, "trainer: `seed` is -1; allowed: a whole number from 0"],
  ["a fraction of a seed", { config, seed: 0.5 }, RangeError, "trainer: `seed` is 0.5; allowed: a whole number"],
  ["a seed that is NaN", { config, seed: Number.NaN }, RangeError, "trainer: `seed` is NaN"],
  ["a seed that is a text", wrong({ config, seed: "1" }), TypeError, 'trainer: `seed` is "1"'],
  [
    "an unknown objective",
    wrong({ config, objective: "translation" }),
    RangeError,
    'trainer: `objective` is "translation"; allowed: "masked-language-model", "classification", "regression", "causal-language-model" or "contrastive"',
  ],
  ["an optimizer by name", wrong({ config, optimizer: "adam" }), TypeError, 'trainer: `optimizer` is "adam"'],
  [
    "an unknown option of the optimizer",
    optimizer({ learnRate: 1 }),
    TypeError,
    "trainer: unknown option `optimizer.learnRate`; did you mean `optimizer.learningRate`?",
  ],
  [
    "snake_case",
    optimizer({ learning_rate: 1 }),
    TypeError,
    "trainer: unknown option `optimizer.learning_rate`; did you mean `learningRate`?",
  ],
  [
    "a negative rate",
    optimizer({ learningRate: -1 }),
    RangeError,
    "trainer: `optimizer.learningRate` is -1; allowed: a finite",
  ],
  ["an infinite rate", optimizer({ learningRate: Infinity }), RangeError, "`optimizer.learningRate` is Infinity"],
  [
    "a beta of 1",
    optimizer({ beta1: 1 }),
    RangeError,
    "trainer: `optimizer.beta1` is 1; allowed: a number from 0, below 1",
  ],
  ["steps that are no number", optimizer({ warmupSteps: "5" }), TypeError, 'trainer: `optimizer.warmupSteps` is "5"'],
  [
    "fewer steps than to warm up",
    optimizer({ warmupSteps: 5, totalSteps: 4 }),
    RangeError,
    "trainer: `optimizer.totalSteps` is 4; allowed: 0, or at least `warmupSteps` = 5",
  ],
  [
    "an unknown position encoding",
    { config: tiny({ position_encoding: "ropes" }) },
    RangeError,
    "trainer: `position_encoding` is",
    "ropes",
    "rope-linear-attention",
  ],
  [
    "heads that do not divide",
    { config: tiny({ num_attention_heads: 5 }) },
    RangeError,
    "trainer: `hidden_size` is 32; allowed: a multiple of `num_attention_heads`, 5",
  ],
  ["empty weights", { config, weights: new Uint8Array() }, RangeError, "safetensors"],
  ["weights that are null", wrong({ config, weights: null }), TypeError, "trainer: `weights` is null"],
  [
    "weights of another model",
    { config, weights: goldenBytes("training/rope/model.safetensors") },
    RangeError,
    "trainer: ",
    "[23, 16]",
  ],
];

it.each(options)("%s", async (_, given, type, ...words) => {
  const before = ropewalk.stats();
  const error = await ropewalk.trainer(given).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(type);
  for (const word of words) expect((error as Error).message).toContain(word);
  expectSameMemory(ropewalk.stats(), before);
});

describe("batches", async () => {
  const trainer = await ropewalk.trainer({ config, seed: 5 });
  const good = copyLeft(random(3), 4);
  const { labels } = good;
  const changed = (i: number, label: number) => Array.from(labels, (old, at) => (at === i ? label : old));
  const batches: [string, unknown, ErrorConstructor, string][] = [
    ["none", undefined, TypeError, "`batch` is undefined; allowed: an object"],
    ["no labels", { ...good, labels: undefined }, TypeError, "`labels` is undefined; allowed: an array of numbers"],
    [
      "a label beyond the vocabulary",
      { ...good, labels: changed(3, 12) },
      RangeError,
      "`labels[3]` is 12; allowed: 0 to 11, the ids, or -100 for nothing to learn",
    ],
    ["a label of -1", { ...good, labels: changed(0, -1) }, RangeError, "`labels[0]` is -1; allowed: 0 to 11"],
    ["a label of NaN", { ...good, labels: changed(1, Number.NaN) }, RangeError, "`labels[1]` is NaN; allowed: a whole"],
    [
      "too few labels",
      { ...good, labels: Array.from(labels).slice(1) },
      RangeError,
      "`labels` has 31 elements; allowed: 32, `batch` * `sequence`",
    ],
    ["nothing to learn", { ...good, labels: new Int32Array(32).fill(-100) }, RangeError, "`labels` are all -100"],
    ["an id beyond", { ...good, inputIds: new Array(32).fill(99) }, RangeError, "`inputIds[0]` is 99"],
    ["another length", { ...good, sequence: 7 }, RangeError, "`inputIds` has 32 elements"],
    ["types of another length", { ...good, tokenTypeIds: [0] }, RangeError, "`tokenTypeIds` has 1 element"],
    ["a mask of 2", { ...good, attentionMask: new Array(32).fill(2) }, RangeError, "`attentionMask[0]` is 2"],
    ["no sequences", { ...good, batch: 0 }, RangeError, "`batch` is 0"],
  ];

  for (const fn of ["train", "evaluate", "gradients"] as const) {
    it.each(batches)(`${fn}: %s`, async (_, batch, type, message) => {
      const before = Buffer.from(trainer.save({ optimizer: true }));
      const call = () => trainer[fn](batch as TrainerBatch);
      expect(call).toThrow(type);
      expect(call).toThrow(`${fn}: ${message}`);
      // Vitest's toEqual takes a second for as many bytes.
      expect(before.equals(trainer.save({ optimizer: true }))).toBe(true);
    });
  }

  it("the next call works as if nothing had been refused, and no input is written to", async () => {
    using twin = await ropewalk.trainer({ config, seed: 5 });
    const inputIds = Int32Array.from(good.inputIds);
    const copy = inputIds.slice();
    trainer.train({ ...good, inputIds });
    twin.train(good);
    expect(inputIds).toEqual(copy);
    expect(Buffer.from(trainer.save({ optimizer: true })).equals(twin.save({ optimizer: true }))).toBe(true);
  });
});

it("a step that would ruin the weights is refused, and they are as before", async () => {
  const optimizer = { learningRate: 1e38, weightDecay: 0 };
  using trainer = await ropewalk.trainer({ config, seed: 5, optimizer });
  const batch = copyLeft(random(3), 4);
  trainer.train(batch);
  const before = Buffer.from(trainer.save({ optimizer: true }));
  expect(() => trainer.train(batch)).toThrow(RangeError);
  expect(() => trainer.train(batch)).toThrow(
    /^train: the gradient of step 2 is (NaN|Infinity); allowed: a finite one, as a smaller `learningRate` gives$/,
  );
  expect(before.equals(trainer.save({ optimizer: true }))).toBe(true);
  expect(trainer.step).toBe(1);
});

it("save refuses what no file can hold", async () => {
  using trainer = await ropewalk.trainer({ config });
  const save = (given: unknown) => () => trainer.save(given as SaveOptions);
  expect(save({ dtype: "bfloat16" })).toThrow('save: `dtype` is "bfloat16"; allowed: "float32" or "float16"');
  expect(save({ optimizer: 1 })).toThrow("save: `optimizer` is 1; allowed: true or false");
  expect(save({ dtype: "float16", optimizer: true })).toThrow("save: `optimizer` is true; allowed: false with `dtype`");
  expect(save(1)).toThrow("save: `options` is 1; allowed: an object");
});

it("a disposed trainer says so", async () => {
  const trainer = await ropewalk.trainer({ config });
  const batch = copyLeft(random(3), 4);
  trainer.dispose();
  trainer.dispose();
  for (const fn of ["train", "evaluate", "gradients"] as const) {
    expect(() => trainer[fn](batch)).toThrow(`${fn}: this Trainer has been disposed`);
  }
  expect(() => trainer.save()).toThrow("save: this Trainer has been disposed");
  expect(() => trainer.step).toThrow("step: this Trainer has been disposed");
  expect(trainer.parameterCount).toBeGreaterThan(10_000);
});
