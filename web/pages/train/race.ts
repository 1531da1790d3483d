import { batch, computed, signal } from "@preact/signals";
import type { Evaluation } from "ropewalk";
import { trainers } from "../../training/pool.js";
import { BATCH, checkEvery, configOf, optimizerOf, type RaceSettings, VALIDATION } from "../../training/recipe.js";
import type { RunSpec, TrainCalls } from "../../training/train-calls.js";
import type { Client } from "../../worker/rpc.js";
import { piece } from "../../worker/turns.js";
import { type RecordedRace, recordedRace } from "./recorded.js";
import type { Race, Run } from "./runs.js";
import { state } from "./state.js";

const fields = state;

export type { Race, Run };

/** "idle": there is no race, since the recorded one could not be had. */
export type Phase = "idle" | "recorded" | "starting" | "running" | "paused" | "finished";
export const phase = signal<Phase>("idle");
export const race = signal<Race | undefined>(undefined);
export const runs = signal<readonly Run[]>([]);
/** The score of the best possible guesser, the task's table or grammar known. */
export const best = signal<Evaluation | undefined>(undefined);
export const failure = signal("");
/** Steps of all runs together, and the seconds they took. */
const worked = signal({ steps: 0, seconds: 0 });
export const stepsPerSecond = computed(() =>
  worked.value.seconds > 0 ? worked.value.steps / worked.value.seconds : 0,
);
export const wholeSteps = computed(() => runs.value.length * (race.value?.settings.steps ?? 0));
export const stepsTaken = computed(() => runs.value.reduce((sum, { points }) => sum + (points.at(-1)?.step ?? 0), 0));

let recorded: RecordedRace | undefined;
const showsRecorded = () => recorded !== undefined && runs.peek() === recorded.runs;

/** Shows the recorded race where there is none of this page. */
function showRecorded(): void {
  batch(() => {
    phase.value = recorded ? "recorded" : "idle";
    race.value = recorded?.race;
    runs.value = recorded?.runs ?? [];
    best.value = recorded?.best;
  });
}

/** Resolves once the recorded race is shown, or cannot be had. */
export async function takeRecorded(): Promise<void> {
  try {
    recorded = await recordedRace();
  } catch {
    // The page begins without a race.
    return;
  }
  if (phase.peek() === "idle") showRecorded();
}

const seedsOf = (count: number) => Array.from({ length: count }, (_, i) => fields.seed.peek() + i);

let current: AbortController | undefined;
let holders = new Map<string, Client<TrainCalls>>();

/** A model of a word or two is made only to learn how many symbols the task has. */
async function symbolCount(
  worker: Client<TrainCalls>,
  spec: Omit<RunSpec, "config" | "run">,
  controller: AbortController,
) {
  const config = configOf("none", settingsNow(), 2048);
  const { symbols } = await worker.call("begin", { ...spec, run: "symbols", config }, { signal: controller.signal });
  await worker.call("end", { run: "symbols" });
  return symbols.length;
}

function settingsNow(): RaceSettings {
  const { size, length, steps, rate } = fields;
  return { size: size.peek(), sequence: Number(length.peek()), steps: Number(steps.peek()), rate: Number(rate.peek()) };
}

/**
 * Makes every contestant anew and evaluates it before its first step. The same seed gives all the same data and, but for
 * what encodes positions, the same initial weights.
 */
async function prepare(controller: AbortController): Promise<void> {
  const settings = settingsNow();
  const [task, distance] = [fields.task.peek(), fields.distance.peek()];
  const encodings = fields.encodings.peek();
  const seeds = seedsOf(Number(fields.seeds.peek()));
  const workers = trainers(encodings.length * seeds.length);
  const specOf = (seed: number) => ({
    task: { name: task, distance, seed },
    seed,
    optimizer: optimizerOf(settings),
    batch: BATCH,
    sequence: settings.sequence,
  });
  const vocabulary = await symbolCount(workers[0]!, specOf(seeds[0]!), controller);
  await Promise.all([...holders].map(([run, worker]) => worker.call("end", { run })));
  holders = new Map();
  const made = seeds.flatMap((seed) =>
    encodings.map(async (encoding, i): Promise<Run> => {
      const name = `${encoding} ${seed}`;
      const worker = workers[(seeds.indexOf(seed) * encodings.length + i) % workers.length]!;
      holders.set(name, worker);
      const spec = { ...specOf(seed), run: name, config: configOf(encoding, settings, vocabulary) };
      const begun = await worker.call("begin", spec, { signal: controller.signal });
      const point = await worker.call(
        "advance",
        { run: name, steps: 0, rows: VALIDATION },
        { signal: controller.signal },
      );
      return { name, encoding, seed, spec, begun, points: [point] };
    }),
  );
  const ready = await Promise.all(made);
  if (controller.signal.aborted) return;
  const { name } = ready[0]!;
  const possible = await holders
    .get(name)!
    .call("best", { run: name, rows: VALIDATION }, { signal: controller.signal });
  if (controller.signal.aborted) return;
  batch(() => {
    best.value = possible;
    race.value = { settings, task, distance, encodings, every: checkEvery(settings.steps) };
    runs.value = ready;
    worked.value = { steps: 0, seconds: 0 };
  });
}

const unfinished = ({ points }: Run) => points.at(-1)!.step < race.peek()!.settings.steps;

/** The next check of one run. */
async function advance(run: Run, controller: AbortController): Promise<void> {
  const { settings, every } = race.peek()!;
  const last = run.points.at(-1)!.step;
  const steps = Math.min(every, settings.steps - last);
  const request = { run: run.name, steps, rows: VALIDATION };
  const point = await piece(() => holders.get(run.name)!.call("advance", request, { signal: controller.signal }));
  runs.value = runs
    .peek()
    .map((each) => (each.name === run.name ? { ...each, points: [...each.points, point] } : each));
  worked.value = { ...worked.peek(), steps: worked.peek().steps + steps };
}

/** Each worker advances the one of its runs that is farthest behind, so that all stay abreast; `checks` of each at most. */
async function advanceAll(checks: number, controller: AbortController): Promise<void> {
  const { every } = race.peek()!;
  const until =
    Math.min(
      ...runs
        .peek()
        .filter(unfinished)
        .map(({ points }) => points.at(-1)!.step),
    ) +
    checks * every;
  let before = performance.now();
  const work = async (worker: Client<TrainCalls>) => {
    while (!controller.signal.aborted) {
      const mine = runs.peek().filter((run) => holders.get(run.name) === worker && unfinished(run));
      const behind = mine.sort((a, b) => a.points.length - b.points.length)[0];
      if (!behind || behind.points.at(-1)!.step >= until) return;
      await advance(behind, controller);
      const now = performance.now();
      worked.value = { ...worked.peek(), seconds: worked.peek().seconds + (now - before) / 1000 };
      before = now;
    }
  };
  await Promise.all([...new Set(holders.values())].map(work));
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
  } catch (error) {
    if (!controller.signal.aborted) failure.value = error instanceof Error ? error.message : String(error);
  }
  if (current !== controller) return;
  phase.value =
    runs.peek().length === 0
      ? "idle"
      : showsRecorded()
        ? "recorded"
        : runs.peek().some(unfinished)
          ? "paused"
          : "finished";
}

/** A new race with the settings of the moment. */
export const start = () =>
  during("starting", async (controller) => {
    await prepare(controller);
    if (controller.signal.aborted) return;
    phase.value = "running";
    await advanceAll(Number.POSITIVE_INFINITY, controller);
  });

export const resume = () => during("running", (controller) => advanceAll(Number.POSITIVE_INFINITY, controller));

/** Every run as far as its next check. */
export const step = () =>
  during("running", async (controller) => {
    if (runs.peek().length === 0 || showsRecorded()) await prepare(controller);
    await advanceAll(1, controller);
  });

/** Stops after the steps that are under way. */
export function pause(): void {
  current?.abort();
}

/** Forgets the race. */
export async function cancel(): Promise<void> {
  current?.abort();
  current = undefined;
  showRecorded();
  const ended = [...holders].map(([run, worker]) => worker.call("end", { run }));
  holders = new Map();
  await Promise.all(ended);
}

/** The weights of a run as they are now, with a question of its task. */
export const weightsOf = (run: Run) => holders.get(run.name)!.call("weights", { run: run.name });
