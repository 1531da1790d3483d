import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { trainers } from "../../training/pool.js";
import { BATCH } from "../../training/recipe.js";
import type { TrainCalls } from "../../training/train-calls.js";
import type { Client } from "../../worker/rpc.js";
import { piece } from "../../worker/turns.js";
import {
  type Betas,
  CHUNK,
  distanceOf,
  factors,
  ROWS,
  type Settings,
  scalingOf,
  type Tested,
  type TestedRule,
  tested,
  trainingOf,
} from "./recipe.js";
import recorded from "./recorded.json" with { type: "json" };
import { state } from "./state.js";

const fields = state;

export const settings = computed<Settings>(() => ({
  task: fields.task.value,
  length: Number(fields.length.value),
  steps: Number(fields.steps.value),
  seed: fields.seed.value,
  seeds: Number(fields.seeds.value),
}));
export const betas = computed<Betas>(() => ({ fast: fields.betaFast.value, slow: fields.betaSlow.value }));

export type Phase = "recorded" | "training" | "testing" | "finished" | "stopped";
export const phase = signal<Phase>("stopped");
/** Steps of all seeds together. */
export const steps = signal(0);
export const failure = signal("");
/** The task in words, and the share of right answers of a guess. */
export const task = signal<{ readonly description: string; readonly chance: number } | undefined>(undefined);
export const results = signal<readonly Tested[]>([]);

/** A measure over the seeds: the middle one, the least and the most. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}
export function spreadOf(rule: TestedRule, factor: number, measure: "accuracy" | "loss"): Spread | undefined {
  const sorted = results.value
    .filter((one) => one.rule === rule && one.factor === factor)
    .map((one) => one[measure])
    .sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}
/** Tests of all seeds. */
export const testsInAll = computed(() => factors.length * tested.length * settings.value.seeds);

let current: AbortController | undefined;
/** The trained models by seed, and the settings that they were trained with. */
let holders = new Map<number, Client<TrainCalls>>();

const runOf = (seed: number) => `long context ${seed}`;

/** Stops after the steps that are under way; what has been tested stays. */
export function stop(): void {
  current?.abort();
  current = undefined;
  phase.value = "stopped";
}

const add = (result: Tested) => {
  const others = results
    .peek()
    .filter(({ seed, rule, factor }) => seed !== result.seed || rule !== result.rule || factor !== result.factor);
  results.value = [...others, result];
};

async function testSeed(seed: number, rules: readonly TestedRule[], { signal }: AbortController): Promise<void> {
  const { length } = settings.peek();
  for (const factor of factors) {
    for (const rule of rules) {
      const change = scalingOf(rule, factor, length, betas.peek());
      const request = { run: runOf(seed), change, rows: ROWS, sequence: factor * length };
      const { accuracy, loss } = await piece(() => holders.get(seed)!.call("test", request, { signal }));
      if (signal.aborted) return;
      add({ seed, rule, factor, accuracy, loss });
    }
  }
}

/** Trains one seed at one length, then tests the same weights at every length under every rule. */
async function runSeed(worker: Client<TrainCalls>, seed: number, controller: AbortController): Promise<void> {
  const wanted = settings.peek();
  const { signal } = controller;
  const run = runOf(seed);
  const spec = { run, task: { name: wanted.task, distance: distanceOf(wanted.task), seed }, seed, batch: BATCH };
  const begin = { ...spec, sequence: wanted.length, ...trainingOf(wanted) };
  const { description, chance } = await worker.call("begin", begin, { signal });
  if (signal.aborted) return;
  holders.set(seed, worker);
  task.value = { description, chance };
  for (let step = 0; step < wanted.steps; ) {
    const count = Math.min(CHUNK, wanted.steps - step);
    const point = await piece(() => worker.call("advance", { run, steps: count, rows: 1 }, { signal }));
    if (signal.aborted) return;
    steps.value += point.step - step;
    step = point.step;
  }
  await testSeed(seed, tested, controller);
}

/** One piece of work at a time: what begins ends what ran before. */
async function during(next: Phase, work: (controller: AbortController) => Promise<void>): Promise<void> {
  current?.abort();
  const controller = new AbortController();
  current = controller;
  batch(() => {
    phase.value = next;
    failure.value = "";
  });
  try {
    await work(controller);
    if (!controller.signal.aborted) phase.value = "finished";
  } catch (error) {
    if (controller.signal.aborted) return;
    failure.value = error instanceof Error ? error.message : String(error);
    phase.value = "stopped";
  }
}

/** Every seed anew, side by side in the workers there are. */
export const measure = () =>
  during("training", async (controller) => {
    const { seed: first, seeds } = settings.peek();
    const waiting = Array.from({ length: seeds }, (_, i) => first + i);
    const ended = [...holders].map(([seed, worker]) => worker.call("end", { run: runOf(seed) }));
    holders = new Map();
    batch(() => {
      steps.value = 0;
      results.value = [];
    });
    await Promise.all(ended);
    await Promise.all(
      trainers(seeds).map(async (worker) => {
        for (let seed = waiting.shift(); seed !== undefined && !controller.signal.aborted; seed = waiting.shift())
          await runSeed(worker, seed, controller);
      }),
    );
  });

/** YaRN alone with other betas, on the weights that are trained. */
const testYarn = () =>
  during("testing", (controller) =>
    Promise.all([...holders.keys()].map((seed) => testSeed(seed, ["yarn"], controller))).then(() => {}),
  );

/** The results of these very settings that were recorded, by tools/site/record.mjs. */
function takeRecorded(): boolean {
  if (JSON.stringify(recorded.settings) !== JSON.stringify(settings.peek())) return false;
  const { fast, slow } = betas.peek();
  if (fast !== recorded.betas.fast || slow !== recorded.betas.slow) return false;
  current?.abort();
  batch(() => {
    task.value = recorded.task;
    results.value = recorded.results as readonly Tested[];
    steps.value = 0;
    phase.value = "recorded";
  });
  return true;
}

// Before the page is first drawn, so that nothing moves when its numbers come.
takeRecorded();

let started = false;
/** Recorded results where there are any; else trains at once, and again when what is trained changes. */
export function startLongContext(): void {
  if (started) return;
  started = true;
  effect(() => {
    void settings.value;
    untracked(() => takeRecorded() || void measure());
  });
  let last = betas.peek();
  effect(() => {
    const now = betas.value;
    if (now === last) return;
    last = now;
    untracked(() => {
      if (holders.size === settings.peek().seeds && phase.peek() !== "training") void testYarn();
      else if (!takeRecorded()) void measure();
    });
  });
}
