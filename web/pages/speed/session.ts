import recorded from "virtual:recorded-speed";
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { type Client, connect } from "../../worker/rpc.js";
import { alone } from "../../worker/turns.js";
import {
  type Contestant,
  contestants,
  javascriptLoops,
  type Prepared,
  type Round,
  type SpeedCalls,
  shapes,
} from "./speed-calls.js";
import { state } from "./state.js";

/** Samples of each contestant. */
export const ROUNDS = 21;

/** Microseconds per call: the quartiles of the samples. */
export interface Measured {
  readonly name: Contestant;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  /** Largest error against float64; undefined for the limit, which does not rotate. */
  readonly error: number | undefined;
}

export const prepared = signal<Prepared | undefined>(undefined);
export const rounds = signal<readonly Round[]>([]);
/** Share of the contestants that are warm. */
export const warmed = signal(0);
export const running = signal(false);
export const failure = signal("");

export const shape = computed(() => shapes[state.shape.value]);
/** Each number is read once and written once: 8 bytes. */
export const bytesPerCall = computed(() => {
  const { batch, sequence, heads, headDim } = shape.value;
  return batch * sequence * heads * headDim * 8;
});

/** The value below which the share `q` of the sorted samples lies, between neighbours by linear interpolation. */
function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (sorted[above]! - sorted[below]!) * (at - below);
}

/** True if the times shown are those of docs/performance.md: until the first sample is taken here. */
export const isRecorded = computed(() => rounds.value.length === 0);
const recordedTimes = computed<readonly Measured[]>(() =>
  recorded.times[state.shape.value][state.pairing.value].map((times) => ({ ...times, error: undefined })),
);

/** Everyone who runs here, in the order of the table. */
const measuredHere = computed<readonly Measured[]>(() =>
  contestants.flatMap((name) => {
    const sorted = rounds.value.flatMap((round) => round[name] ?? []).sort((a, b) => a - b);
    if (sorted.length === 0) return [];
    const error = name === "limit" ? undefined : prepared.value?.errors[name];
    const [q1, median, q3] = [0.25, 0.5, 0.75].map((q) => quantile(sorted, q)) as [number, number, number];
    return [{ name, q1, median, q3, error }];
  }),
);
export const measured = computed(() => (isRecorded.value ? recordedTimes.value : measuredHere.value));
export const timesOf = (name: Contestant) => measured.value.find((one) => one.name === name);
/** The fastest of the loops in JavaScript, by its lower quartile, which other work on the machine disturbs least. */
export const bestJavascript = computed(() =>
  measured.value
    .filter(({ name }) => (javascriptLoops as readonly string[]).includes(name))
    .reduce<Measured | undefined>((best, one) => (best && best.q1 <= one.q1 ? best : one), undefined),
);
/** How many times b's time a's is, between the quartiles that favour either. */
export const ratio = (a: Measured, b: Measured): readonly [low: number, high: number] => [a.q1 / b.q3, a.q3 / b.q1];
/** By how much the samples of the three that the verdict compares scatter: 1 where they do not. */
export const scatter = computed(() =>
  [bestJavascript.value, timesOf("ropewalk"), timesOf("limit")].reduce(
    (most, one) => Math.max(most, one ? one.q3 / one.q1 : 1),
    1,
  ),
);
/** Bytes per microsecond are megabytes per second; a thousand of them one GB/s. */
export const gigabytes = (microseconds: number) => bytesPerCall.value / microseconds / 1000;

let current: AbortController | undefined;

export function stop(): void {
  current?.abort();
  running.value = false;
}

/** Everything of one measurement in a worker of its own: an engine that has seen other shapes compiles slower code. */
async function withWorker(work: (worker: Client<SpeedCalls>) => Promise<void>): Promise<void> {
  const worker = new Worker(new URL("./speed.worker.ts", import.meta.url), { type: "module", name: "ropewalk speed" });
  try {
    await work(connect<SpeedCalls>(worker));
  } finally {
    worker.terminate();
  }
}

const drawn = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Measures the shape and pairing of the moment, sample after sample, until stopped. */
export async function measure(): Promise<void> {
  current?.abort();
  const controller = new AbortController();
  const { signal: cancelled } = controller;
  current = controller;
  const [wanted, pairing] = [state.shape.peek(), state.pairing.peek()];
  batch(() => {
    running.value = true;
    failure.value = "";
    rounds.value = [];
    prepared.value = undefined;
    warmed.value = 0;
  });
  try {
    // The page is drawn first: nobody waits for a measurement, and it disturbs whatever else runs.
    await drawn();
    if (cancelled.aborted) return;
    await alone(() =>
      withWorker(async (worker) => {
        const onProgress = (done: number, all = 1) => {
          if (!cancelled.aborted) warmed.value = done / all;
        };
        const found = await worker.call("prepare", { shape: wanted, pairing }, { signal: cancelled, onProgress });
        if (cancelled.aborted) return;
        batch(() => {
          prepared.value = found;
          warmed.value = 1;
        });
        for (let i = 0; i < ROUNDS; i++) {
          const round = await worker.call("round", undefined, { signal: cancelled });
          if (cancelled.aborted) return;
          rounds.value = [...rounds.value, round];
        }
      }),
    );
  } catch (error) {
    if (cancelled.aborted) return;
    failure.value = error instanceof Error ? error.message : String(error);
  }
  if (!cancelled.aborted) running.value = false;
}

let started = false;
/** At once, and again when shape or pairing change. */
export function startSpeed(): void {
  if (started) return;
  started = true;
  effect(() => {
    void [state.shape.value, state.pairing.value];
    void untracked(measure);
  });
}
