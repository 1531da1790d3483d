import { computed, effect, type Signal, signal, untracked } from "@preact/signals";
import type { Rope } from "ropewalk";
import { ask as askRope } from "../../library/ask.js";
import { frequenciesOf, parseList } from "../../rope/rules.js";
import { makeVectors, type Vectors } from "../../rope/vectors.js";
import { state } from "./state.js";

export const span = computed(() => Number(state.span.value));
/** Quarter positions where the fastest pair would look jagged, whole ones where nobody could see it. */
export const step = computed(() => (span.value <= 64 ? 0.25 : span.value <= 256 ? 0.5 : 1));
const distances = computed(() => Float64Array.from({ length: span.value / step.value + 1 }, (_, i) => i * step.value));
const wholeDistances = computed(() => Float64Array.from({ length: span.value + 1 }, (_, i) => i));

effect(() => {
  if (state.at.value > span.value) state.at.value = span.value;
});

/** Channels times distances from which on an answer takes tens of milliseconds. */
const MANY = 2 ** 17;

/**
 * d as one question has it. Where answers take long, each question follows the slider in a task of its own, so that no task is
 * longer than one answer, and skips what the slider has left behind.
 */
function ownD(): Signal<number> {
  const d = signal(state.d.peek());
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const now = state.d.value;
    clearTimeout(timer);
    if (now * span.peek() < MANY) d.value = now;
    else
      timer = setTimeout(() => {
        d.value = now;
      });
  });
  return d;
}
const [boundD, scoreD, kernelD] = [ownD(), ownD(), ownD()];

/** One question to the page's rope. */
const ask = <T>(d: Signal<number>, question: (rope: Rope) => T) =>
  askRope({ headDim: d.value, frequencies: frequenciesOf(state.rule.value) }, question);

export interface Curve {
  readonly distances: Float64Array;
  readonly values: Float64Array;
}

export interface Decay extends Curve {
  /** The whole distances at which it is higher than at the one before. */
  readonly rises: readonly number[];
}

export const decay = computed(() =>
  ask(boundD, (rope): Decay => {
    const values = rope.decay(wholeDistances.value);
    const rises = Array.from(wholeDistances.value).filter((n) => n > 0 && values[n]! > values[n - 1]!);
    return { distances: wholeDistances.value, values, rises };
  }),
);

/** The vectors that were typed, or made like those of the Rotate page. */
function vectorsFor(d: number): { q: ArrayLike<number>; k: ArrayLike<number> } {
  const kind = state.vectors.value;
  if (kind !== "own") return makeVectors(kind, state.seed.value, d);
  return { q: parseList(state.q.value) ?? [], k: parseList(state.k.value) ?? [] };
}
export const vectors = computed(() => vectorsFor(state.d.value));

/** Errors in the numbers that were typed, with the labels of their boxes; "" without any. */
export const miscounted = computed(() => {
  if (state.vectors.value !== "own") return "";
  const { q, k } = vectors.value;
  const wrong = [
    ["query q", q.length],
    ["key k", k.length],
  ].filter(([, count]) => count !== state.d.value);
  return wrong
    .map(([name, count]) => `${name} has ${count} numbers; it needs ${state.d.value}, as many as d.`)
    .join(" ");
});

export const score = computed(() =>
  ask(scoreD, (rope): Curve => {
    const { q, k } = vectorsFor(scoreD.value);
    return { distances: distances.value, values: rope.score(q, k, distances.value).score };
  }),
);

/** (2/d) sum_j cos(n theta_j): the score of two vectors of length 1 that have as much of every pair. */
export const kernel = computed(() =>
  ask(kernelD, (rope): Curve => {
    const { q, k } = makeVectors("ones", 1, kernelD.value);
    return { distances: distances.value, values: rope.score(q, k, distances.value).score };
  }),
);

export const field = computed(() =>
  ask(kernelD, (rope) => rope.effectiveReceptiveField({ threshold: state.threshold.value, limit: 32768 })),
);

/** The library's error about the rule; the same for every question. */
export const refused = computed(() => decay.value?.error);

/** Hover to preview, click to keep: `state.at` is the locked one. */
export const previewAt = signal<number | undefined>(undefined);
export const shownAt = computed(() => Math.min(previewAt.value ?? state.at.value, span.value));

export function valueAt(curve: Curve | undefined, at: number): number | undefined {
  if (!curve) return undefined;
  const grid = curve.distances[1]! - curve.distances[0]!;
  return curve.values[Math.round(at / grid)];
}

let lastMade: Vectors = "related";
/** One's own vectors begin as those that were seen last. */
effect(() => {
  const kind = state.vectors.value;
  if (kind !== "own") {
    lastMade = kind;
    return;
  }
  untracked(() => {
    const seen = makeVectors(lastMade, state.seed.value, state.d.value);
    const write = (x: Float32Array) => Array.from(x, (value) => Number(value.toFixed(3))).join(", ");
    if (!state.q.value) state.q.value = write(seen.q);
    if (!state.k.value) state.k.value = write(seen.k);
  });
});
