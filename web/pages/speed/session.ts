import { batch, computed, effect, signal } from "@preact/signals";
import { type Client, connect } from "../../worker/rpc.js";
import { type Contestant, contestants, type Prepared, type Round, type SpeedCalls, shapes } from "./speed-calls.js";
import { state } from "./state.js";

/** Samples of each contestant; their median is shown, with the least and the most. */
export const ROUNDS = 21;

export interface Measured {
  readonly name: Contestant;
  /** Microseconds per call; undefined before the first sample, and for what cannot run here. */
  readonly median: number | undefined;
  readonly least: number;
  readonly most: number;
  /** Largest error against float64; undefined where it cannot run, and for the limit, which does not rotate. */
  readonly error: number | undefined;
}

export const prepared = signal<Prepared | undefined>(undefined);
export const rounds = signal<readonly Round[]>([]);
export const running = signal(false);
export const failure = signal("");

export const shape = computed(() => shapes[state.shape.value]);
/** Each number is read once and written once: 8 bytes. */
export const bytesPerCall = computed(() => {
  const { batch, sequence, heads, headDim } = shape.value;
  return batch * sequence * heads * headDim * 8;
});

function middle(sorted: readonly number[]): number | undefined {
  const half = sorted.length / 2;
  return sorted.length % 2
    ? sorted[Math.floor(half)]
    : sorted.length
      ? (sorted[half - 1]! + sorted[half]!) / 2
      : undefined;
}

export const measured = computed<readonly Measured[]>(() =>
  contestants.map((name) => {
    const sorted = rounds.value.flatMap((round) => round[name] ?? []).sort((a, b) => a - b);
    const error = name === "limit" ? undefined : prepared.value?.errors[name];
    return { name, median: middle(sorted), least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0, error };
  }),
);
export const medianOf = (name: Contestant) => measured.value.find((one) => one.name === name)?.median;
/** Bytes per microsecond are megabytes per second; a thousand of them one GB/s. */
export const gigabytes = (microseconds: number) => bytesPerCall.value / microseconds / 1000;

let client: Client<SpeedCalls> | undefined;
function worker(): Client<SpeedCalls> {
  client ??= connect<SpeedCalls>(
    new Worker(new URL("./speed.worker.ts", import.meta.url), { type: "module", name: "ropewalk speed" }),
  );
  return client;
}

let current: AbortController | undefined;

export function stop(): void {
  current?.abort();
  running.value = false;
}

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
  });
  try {
    const found = await worker().call("prepare", { shape: wanted, pairing }, { signal: cancelled });
    if (cancelled.aborted) return;
    prepared.value = found;
    for (let i = 0; i < ROUNDS; i++) {
      const round = await worker().call("round", undefined, { signal: cancelled });
      if (cancelled.aborted) return;
      rounds.value = [...rounds.value, round];
    }
  } catch (error) {
    if (cancelled.aborted) return;
    failure.value = error instanceof Error ? error.message : String(error);
  }
  running.value = false;
}

let started = false;
/** At once, and again when shape or pairing change. */
export function startSpeed(): void {
  if (started) return;
  started = true;
  effect(() => {
    void [state.shape.value, state.pairing.value];
    void measure();
  });
}
