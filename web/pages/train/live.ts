import { signal } from "@preact/signals";
import type { OptimizerOptions } from "ropewalk";
import { trainers } from "../../training/pool.js";
import type { RunSpec } from "../../training/train-calls.js";
import { piece } from "../../worker/turns.js";

/** An experiment that a page can run: the settings of its recorded runs, by tools/experiments/page.mjs. */
export interface Live {
  readonly task: "letters";
  readonly sequence: number;
  readonly batch: number;
  readonly steps: number;
  /** Steps between two checks. */
  readonly every: number;
  /** Sequences of a check. */
  readonly rows: number;
  readonly optimizer: OptimizerOptions;
  /** In the order of the lines. */
  readonly runs: ReadonlyArray<{ readonly config: RunSpec["config"]; readonly rate: number }>;
}

const SEED = 1;

export const running = signal(false);
/** The losses of each line as far as they are known; empty before a run. */
export const losses = signal<readonly (readonly number[])[]>([]);
export const failure = signal("");

let current: AbortController | undefined;

/** Stops after the steps that are under way. */
export function stop(): void {
  current?.abort();
  running.value = false;
}

/** Trains each model once from one seed. */
export async function run({ task, sequence, batch, steps, every, rows, optimizer, runs }: Live): Promise<void> {
  stop();
  const controller = new AbortController();
  const { signal } = controller;
  current = controller;
  running.value = true;
  failure.value = "";
  losses.value = runs.map(() => []);
  const workers = trainers(runs.length);
  const train = async (worker: (typeof workers)[number], i: number) => {
    const { config, rate } = runs[i]!;
    const name = `${task} ${i}`;
    const spec = {
      run: name,
      config,
      task: { name: task, distance: 0, seed: SEED },
      seed: SEED,
      optimizer: { ...optimizer, learningRate: rate },
      batch,
      sequence,
    };
    await worker.call("begin", spec, { signal });
    for (let done = 0; done <= steps; done += every) {
      const request = { run: name, steps: done === 0 ? 0 : every, rows };
      const { once } = await piece(() => worker.call("advance", request, { signal }));
      if (signal.aborted) return;
      losses.value = losses.peek().map((line, j) => (j === i ? [...line, once.loss] : line));
    }
    await worker.call("end", { run: name });
  };
  try {
    await Promise.all(
      workers.map(async (worker, first) => {
        for (let i = first; i < runs.length && !signal.aborted; i += workers.length) await train(worker, i);
      }),
    );
  } catch (error) {
    if (!signal.aborted) failure.value = error instanceof Error ? error.message : String(error);
  } finally {
    if (current === controller) running.value = false;
  }
}
