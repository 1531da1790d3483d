/** Epochs of training, each followed by the metrics of the validation file; the best one's weights are kept. */
import type { Ropewalk, Trainer } from "../../index.js";
import { batchesOf, inputOf, randomFrom, shuffled } from "./batches.js";
import type { Example } from "./examples.js";
import { METRICS, type MetricName } from "./tasks.js";

export interface FineTuning {
  /** config.json of the classifier. */
  config: Record<string, unknown>;
  weights: Uint8Array<ArrayBuffer>;
  train: readonly Example[];
  validation: readonly Example[];
  metrics: readonly MetricName[];
  regression: boolean;
  epochs: number;
  batch: number;
  learningRate: number;
  seed: number;
}

export interface Epoch {
  /** 0 is before the first step. */
  epoch: number;
  /** Mean over the steps; undefined before the first. */
  loss: number | undefined;
  metrics: Record<string, number>;
}

export interface Progress {
  epoch: number;
  step: number;
  steps: number;
  loss: number;
}

export interface FineTuned {
  epochs: Epoch[];
  best: Epoch;
  weights: Uint8Array<ArrayBuffer>;
  notes: readonly string[];
}

/** Classes, or values under regression, in the order of the examples. */
export async function predictions(
  ropewalk: Ropewalk,
  config: object,
  weights: Uint8Array<ArrayBuffer>,
  examples: readonly Example[],
  batch: number,
): Promise<number[]> {
  using model = await ropewalk.encoder({ "config.json": config, "model.safetensors": weights });
  return [...batchesOf(examples, batch)].flatMap((part) => {
    const logits = model.forward(inputOf(part), { logits: false }).classLogits!;
    const width = logits.length / part.length;
    if (width === 1) return [...logits];
    return part.map((_, i) => {
      const row = logits.subarray(i * width, (i + 1) * width);
      return row.indexOf(Math.max(...row));
    });
  });
}

/** Calls `report` after every step, and stops with the signal's reason when it is aborted. */
export async function fineTune(
  ropewalk: Ropewalk,
  job: FineTuning,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<FineTuned> {
  const perEpoch = Math.ceil(job.train.length / job.batch);
  const steps = perEpoch * job.epochs;
  using trainer: Trainer = await ropewalk.trainer({
    config: job.config,
    weights: job.weights,
    seed: job.seed,
    objective: job.regression ? "regression" : "classification",
    // A tenth of the steps to warm up, as BERT was fine-tuned.
    optimizer: { learningRate: job.learningRate, warmupSteps: Math.floor(steps / 10), totalSteps: steps },
  });
  const expected = job.validation.map(({ label }) => label);
  const measure = async (weights: Uint8Array<ArrayBuffer>) => {
    const found = await predictions(ropewalk, job.config, weights, job.validation, job.batch);
    return Object.fromEntries(job.metrics.map((name) => [name, METRICS[name](expected, found)]));
  };
  let weights = trainer.save();
  const epochs: Epoch[] = [{ epoch: 0, loss: undefined, metrics: await measure(weights) }];
  let best = epochs[0]!;
  const random = randomFrom(job.seed);
  for (let epoch = 1; epoch <= job.epochs; epoch++) {
    let sum = 0;
    for (const part of batchesOf(shuffled(job.train, random), job.batch)) {
      const labels = part.map(({ label }) => label);
      const { loss } = trainer.train({ ...inputOf(part), ...(job.regression ? { targets: labels } : { labels }) });
      sum += loss / perEpoch;
      report({ epoch, step: trainer.step, steps, loss });
      // Signals and output get their turn.
      await new Promise((resume) => setImmediate(resume));
      signal.throwIfAborted();
    }
    const saved = trainer.save();
    const done: Epoch = { epoch, loss: sum, metrics: await measure(saved) };
    epochs.push(done);
    const [first] = job.metrics;
    if (best.epoch === 0 || done.metrics[first!]! > best.metrics[first!]!) {
      best = done;
      weights = saved;
    }
  }
  return { epochs, best, weights, notes: trainer.notes };
}
