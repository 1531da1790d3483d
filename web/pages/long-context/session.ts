import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Evaluation } from "ropewalk";
import { trainers } from "../../training/pool.js";
import { BATCH } from "../../training/recipe.js";
import {
  CHUNK,
  distanceOf,
  factors,
  ROWS,
  type Settings,
  scalingOf,
  type TestedRule,
  tested,
  trainingOf,
} from "./recipe.js";
import { state } from "./state.js";

const fields = state;

export interface Tested extends Evaluation {
  readonly rule: TestedRule;
  readonly factor: number;
}

export const settings = computed<Settings>(() => ({
  task: fields.task.value,
  length: Number(fields.length.value),
  steps: Number(fields.steps.value),
  seed: fields.seed.value,
}));

export type Phase = "training" | "testing" | "finished" | "stopped";
export const phase = signal<Phase>("stopped");
export const steps = signal(0);
export const failure = signal("");
/** What is asked, and the share of right answers of a guess. */
export const task = signal<{ readonly description: string; readonly chance: number } | undefined>(undefined);
export const results = signal<readonly Tested[]>([]);

/** What a test came to; undefined until it has been made. */
export const resultOf = (rule: TestedRule, factor: number) =>
  results.value.find((one) => one.rule === rule && one.factor === factor);

const run = "long context";
let current: AbortController | undefined;

/** Stops after the steps that are under way; what has been tested stays. */
export function stop(): void {
  current?.abort();
  current = undefined;
  phase.value = "stopped";
}

/** Trains at one length, then tests the same weights at every length under every rule. Only config.json changes. */
export async function measure(): Promise<void> {
  current?.abort();
  const controller = new AbortController();
  const { signal: cancelled } = controller;
  current = controller;
  const wanted = settings.peek();
  const { length: sequence, seed } = wanted;
  batch(() => {
    phase.value = "training";
    steps.value = 0;
    failure.value = "";
    task.value = undefined;
    results.value = [];
  });
  const worker = trainers(1)[0]!;
  const options = { signal: cancelled };
  try {
    const spec = {
      run,
      task: { name: wanted.task, distance: distanceOf(wanted.task), seed },
      seed,
      batch: BATCH,
      sequence,
    };
    const { description, chance } = await worker.call("begin", { ...spec, ...trainingOf(wanted) }, options);
    if (cancelled.aborted) return;
    task.value = { description, chance };
    while (steps.peek() < wanted.steps) {
      const point = await worker.call("advance", { run, steps: CHUNK, rows: 1 }, options);
      if (cancelled.aborted) return;
      steps.value = point.step;
    }
    phase.value = "testing";
    for (const factor of factors) {
      for (const rule of tested) {
        const change = scalingOf(rule, factor, sequence);
        const result = await worker.call("test", { run, change, rows: ROWS, sequence: factor * sequence }, options);
        if (cancelled.aborted) return;
        results.value = [...results.peek(), { rule, factor, ...result }];
      }
    }
    phase.value = "finished";
  } catch (error) {
    if (cancelled.aborted) return;
    failure.value = error instanceof Error ? error.message : String(error);
    phase.value = "stopped";
  }
}

let started = false;
/** At once, and again when what is trained changes. */
export function startLongContext(): void {
  if (started) return;
  started = true;
  effect(() => {
    void settings.value;
    void untracked(measure);
  });
}
