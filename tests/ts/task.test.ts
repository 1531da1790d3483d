/** The training tasks from JavaScript: the same bits as natively, and a trainer that learns them. */
import { load, type Task, type TaskBatch, type TaskBatchOptions, type TaskName, type TaskOptions } from "ropewalk";
import { expect, it } from "vitest";
import { expectSameMemory } from "./memory.js";
import { tiny } from "./training-data.js";

const ropewalk = await load();
const wrong = <T>(value: unknown): T => value as T;

/** FNV-1a over ids, mask and labels. */
function hash({ inputIds, attentionMask, labels }: TaskBatch): bigint {
  let value = 0xcbf29ce484222325n;
  for (const part of [inputIds, attentionMask, labels]) {
    for (const number of part) value = BigInt.asUintN(64, (value ^ BigInt(number >>> 0)) * 0x100000001b3n);
  }
  return value;
}

/** Those of tests/cpp/task_test.cpp. */
const pinned: [TaskName, bigint][] = [
  ["order", 0xd319cb770951aa32n],
  ["copy", 0x7d79a5e44197aa0dn],
  ["period", 0x1505c040d8b23b85n],
  ["induction", 0x0845ac3abe478e44n],
  ["dyck", 0x4a328c0c9ca75de1n],
  ["needle", 0x4bd17e35ac99df95n],
  ["markov", 0xfcf46c908e99c360n],
  ["english", 0xd60318074d9e7c77n],
];

it.each(pinned)("%s: the bits are those of the native build", async (name, expected) => {
  using task = await ropewalk.task({ name, seed: 7 });
  const options = { index: 3, batch: 4, sequence: 40 };
  const batch = task.batch(options);
  expect(hash(batch)).toBe(expected);
  expect([batch.batch, batch.sequence]).toEqual([4, 40]);
  expect(task.batch({ ...options, split: "validation" })).not.toEqual(batch);
  expect(task.batch({ ...options, index: 4 })).not.toEqual(batch);
  expect(task.batch({ ...options, split: "train" })).toEqual(batch);
  // The first rows, and not those of another seed.
  expect(task.batch({ ...options, batch: 9 }).inputIds.slice(0, 160)).toEqual(batch.inputIds);
  using other = await ropewalk.task({ name, seed: 2 ** 53 - 1 });
  expect(other.batch(options)).not.toEqual(batch);
});

it("says what it is", async () => {
  using order = await ropewalk.task();
  expect(order.name).toBe("order");
  expect(order.description).toMatch(/\[MASK\] asks/);
  expect(order.symbols.join(" ")).toBe("[PAD] [MASK] a b c d e f g h i j k l m n o p < >");
  expect([order.vocabSize, order.distance, order.shortestSequence, order.chanceAccuracy]).toEqual([20, 0, 3, 0.5]);
  using needle = await ropewalk.task({ name: "needle", distance: 256 });
  expect([needle.distance, needle.shortestSequence, needle.chanceAccuracy]).toEqual([256, 258, 1 / 16]);
  using english = await ropewalk.task({ name: "english" });
  expect(english.symbols).toContain("captain");
  expect(english.symbols).toHaveLength(english.vocabSize);
});

it("knows the best that can be done", async () => {
  const options: TaskBatchOptions = { split: "validation", batch: 64, sequence: 64 };
  using order = await ropewalk.task();
  expect(order.best(options)).toEqual({ loss: 0, accuracy: 1 });
  for (const [name, least, most] of [
    ["markov", 0.9, 0.99],
    ["english", 0.75, 0.86],
  ] as const) {
    using task = await ropewalk.task({ name });
    const { loss, accuracy } = task.best(options);
    expect(accuracy).toBeGreaterThan(least);
    expect(accuracy).toBeLessThan(most);
    expect(loss).toBeGreaterThan(0);
    expect(loss).toBeLessThan(0.7);
  }
});

it("is learnt by a trainer, and tested at another length", async () => {
  using task = await ropewalk.task({ name: "copy", distance: 2, seed: 1 });
  const config = tiny({ vocab_size: task.vocabSize });
  const optimizer = { learningRate: 4e-3, warmupSteps: 20, totalSteps: 300 };
  using trainer = await ropewalk.trainer({ config, seed: 1, optimizer });
  while (trainer.step < 300) trainer.train(task.batch({ index: trainer.step, batch: 16, sequence: 24 }));
  for (const sequence of [24, 48]) {
    expect(trainer.evaluate(task.batch({ split: "validation", batch: 64, sequence })).accuracy).toBeGreaterThan(0.8);
  }
}, 60_000);

const refusedTasks: [TaskOptions, ErrorConstructor, string][] = [
  [wrong({ name: "sort" }), TypeError, 'task: `name` is "sort"; allowed: one of order, copy, period, induction, dyck'],
  [wrong({ name: 5 }), TypeError, "task: `name` is 5"],
  [wrong({ nmae: "copy" }), TypeError, "task: unknown option `nmae`; did you mean `name`?"],
  [wrong([]), TypeError, "task: `options` is an array of 0; allowed: an object"],
  [wrong(7), TypeError, "task: `options` is 7; allowed: an object"],
  [{ distance: 4 }, RangeError, "task: `distance` is 4; allowed: 0, since order has none"],
  [{ name: "needle", distance: 3 }, RangeError, "task: `distance` is 3; allowed: 4 to 4096 for needle, or 0 for its"],
  [{ name: "copy", distance: 2 ** 40 }, RangeError, "task: `distance` is"],
  [{ name: "copy", distance: 1.5 }, RangeError, "task: `distance` is 1.5; allowed: a whole number"],
  [{ seed: -1 }, RangeError, "task: `seed` is -1; allowed: a whole number from 0 to 9007199254740991"],
  [{ seed: Number.NaN }, RangeError, "task: `seed` is NaN"],
];

it.each(refusedTasks)("refuses %o", async (options, kind, message) => {
  const before = ropewalk.stats();
  const error = await ropewalk.task(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  expect((error as Error).message).toContain(message);
  expectSameMemory(ropewalk.stats(), before);
});

const refusedBatches: [TaskBatchOptions, ErrorConstructor, string][] = [
  [wrong(undefined), TypeError, "`options` is undefined; allowed: an object"],
  [wrong({ batch: 4 }), TypeError, "`sequence` is undefined"],
  [{ batch: 0, sequence: 24 }, RangeError, "`batch` is 0; allowed: a whole number from 1 to 699050"],
  [{ batch: 2 ** 32 - 1, sequence: 24 }, RangeError, "`batch` is 4294967295; allowed"],
  [{ batch: 4, sequence: 2 }, RangeError, "`sequence` is 2; allowed: a whole number from 3 to 65536 for order"],
  [{ batch: 4, sequence: 65537 }, RangeError, "`sequence` is 65537"],
  [{ batch: 4, sequence: 24, index: -1 }, RangeError, "`index` is -1"],
  [wrong({ batch: 4, sequence: 24, split: "test" }), RangeError, '`split` is "test"; allowed: "train" or "validation"'],
];

it.each(refusedBatches)("refuses the batch %o and goes on", async (options, kind, message) => {
  using task: Task = await ropewalk.task();
  const expected = task.batch({ batch: 2, sequence: 24 });
  for (const fn of ["batch", "best"] as const) {
    expect(() => task[fn](options)).toThrow(kind);
    expect(() => task[fn](options)).toThrow(`${fn}: ${message}`);
  }
  expect(task.batch({ batch: 2, sequence: 24 })).toEqual(expected);
});

it("says that it has been disposed, and leaves nothing behind", async () => {
  const before = ropewalk.stats();
  const task = await ropewalk.task({ name: "english" });
  task.batch({ batch: 2, sequence: 64 });
  task.dispose();
  task.dispose();
  expect(() => task.batch({ batch: 2, sequence: 64 })).toThrow("batch: this Task has been disposed");
  expectSameMemory(ropewalk.stats(), before);
});
