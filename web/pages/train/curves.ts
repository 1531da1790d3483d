import { computed } from "@preact/signals";
import type { PositionEncoding } from "ropewalk";
import type { Measure } from "../../training/measure-head.js";
import type { Point } from "../../training/train-calls.js";
import { best, type Race, type Run, race, runs } from "./race.js";
import { state } from "./state.js";

type Length = "once" | "twice";

/** Median and spread over the seeds, at the steps that all of them have reached. */
export interface Band {
  readonly steps: readonly number[];
  readonly median: readonly number[];
  readonly least: readonly number[];
  readonly most: readonly number[];
}

function median(sorted: readonly number[]): number {
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function bandOf(of: readonly Run[], value: (point: Point) => number): Band {
  const reached = Math.min(...of.map(({ points }) => points.length));
  const sorted = Array.from({ length: reached }, (_, i) =>
    of.map(({ points }) => value(points[i]!)).sort((a, b) => a - b),
  );
  return {
    steps: of[0]!.points.slice(0, reached).map(({ step }) => step),
    median: sorted.map(median),
    least: sorted.map((values) => values[0]!),
    most: sorted.map((values) => values.at(-1)!),
  };
}

/** Share of the way from chance to the best possible accuracy from which on a run counts as there. */
const CONVERGED = 0.9;

export interface Standing {
  readonly encoding: PositionEncoding;
  /** Its colour and dashes, by its place among the boxes. */
  readonly tone: number;
  readonly runs: readonly Run[];
  readonly parameters: number;
  readonly once: Readonly<Record<Measure, Band>>;
  readonly twice: Readonly<Record<Measure, Band>>;
  readonly training: Band;
  /** For each seed that got there, the first step at which it was; in order. */
  readonly arrivals: readonly number[];
  /** The middle of the seeds' arrivals, those that did not arrive being last; undefined when that one did not. */
  readonly arrival: number | undefined;
}

/** Accuracy that counts as having learned the task. */
export const goal = computed(() => {
  const chance = runs.value[0]?.begun.chance ?? 0;
  return chance + CONVERGED * ((best.value?.accuracy ?? 1) - chance);
});

function standingOf(encoding: PositionEncoding, tone: number): Standing {
  const own = runs.value.filter((run) => run.encoding === encoding);
  const bands = (length: Length) => ({
    accuracy: bandOf(own, (point) => point[length].accuracy),
    loss: bandOf(own, (point) => point[length].loss),
  });
  const arrivals = own
    .map(({ points }) => points.find(({ once }) => once.accuracy >= goal.value)?.step ?? Number.POSITIVE_INFINITY)
    .sort((a, b) => a - b);
  const middle = arrivals[Math.floor((arrivals.length - 1) / 2)]!;
  return {
    encoding,
    tone,
    runs: own,
    parameters: own[0]!.begun.parameters,
    once: bands("once"),
    twice: bands("twice"),
    training: bandOf(own, ({ training }) => training),
    arrivals: arrivals.filter(Number.isFinite),
    arrival: Number.isFinite(middle) ? middle : undefined,
  };
}

/** In the order of the race: who arrived first, then whose accuracy is higher. */
export const standings = computed<readonly Standing[]>(() => {
  if (runs.value.length === 0) return [];
  const all = race.value!.encodings.map(standingOf);
  const last = ({ once }: Standing) => once.accuracy.median.at(-1)!;
  return all.sort(
    (a, b) => (a.arrival ?? Number.POSITIVE_INFINITY) - (b.arrival ?? Number.POSITIVE_INFINITY) || last(b) - last(a),
  );
});

/** True if the controls still say what the race was started with. */
export const isCurrent = computed(() => {
  const shown: Race | undefined = race.value;
  if (!shown) return true;
  const { task, distance, encodings, size, length, rate, steps, seeds, seed } = state;
  const { settings } = shown;
  return (
    shown.task === task.value &&
    shown.distance === distance.value &&
    shown.encodings.join() === encodings.value.join() &&
    settings.size === size.value &&
    String(settings.sequence) === length.value &&
    settings.rate === Number(rate.value) &&
    String(settings.steps) === steps.value &&
    runs.value.length === shown.encodings.length * Number(seeds.value) &&
    runs.value[0]?.seed === seed.value
  );
});
