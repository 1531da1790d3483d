import { computed, effect, signal } from "@preact/signals";
import type { Rope, RopeOptions } from "ropewalk";
import { library } from "../library.js";
import { state } from "../state.js";
import { channelsOf, product, rotateAt, scoreCurve } from "./turns.js";
import { makeVectors } from "./vectors.js";

const room = state.rotate;

/** The last position of the sliders, and the greatest distance of the curve. */
export const span = computed(() => Number(room.span.value));
export const headDim = computed(() => room.d.value);
export const pairCount = computed(() => headDim.value / 2);

export const options = computed<RopeOptions>(() => ({
  headDim: room.d.value,
  pairing: room.pairing.value,
  frequencies: { type: "default", base: Number(room.base.value) },
}));

let current: Rope | undefined;
/** Computed, not an effect, so that no one ever sees a rope of other options than the state's. */
const rope = computed(() => {
  current?.dispose();
  current = library.value?.rope(options.value);
  return current;
});

// A shorter range or a smaller head pulls what lies beyond it back in.
effect(() => {
  for (const position of [room.m, room.n, room.shift]) if (position.value > span.value) position.value = span.value;
});
effect(() => {
  if (room.pair.value >= pairCount.value) room.pair.value = pairCount.value - 1;
});

export const vectors = computed(() => makeVectors(room.vectors.value, room.seed.value, room.d.value));

/** Where query and key stand, the shift included. */
export const queryPosition = computed(() => room.m.value + room.shift.value);
export const keyPosition = computed(() => room.n.value + room.shift.value);
export const distance = computed(() => room.m.value - room.n.value);

/** One pair of channels, before and after its turn; score is its part of q . k. */
export interface Pair {
  readonly index: number;
  readonly channels: readonly [number, number];
  readonly theta: number;
  readonly wavelength: number;
  readonly q: readonly [number, number];
  readonly k: readonly [number, number];
  readonly qTurned: readonly [number, number];
  readonly kTurned: readonly [number, number];
  readonly score: number;
}

export interface Scene {
  readonly pairs: readonly Pair[];
  /** q at m + shift times k at n + shift. */
  readonly score: number;
  /** The same without the shift: equal but for rounding in float32. */
  readonly scoreUnshifted: number;
}

/** undefined until the library is there. */
export const scene = computed<Scene | undefined>(() => {
  const { q, k } = vectors.value;
  const turner = rope.value;
  if (!turner) return undefined;
  const qTurned = rotateAt(turner, q, Float64Array.of(queryPosition.value, room.m.value));
  const kTurned = rotateAt(turner, k, Float64Array.of(keyPosition.value, room.n.value));
  const { frequencies, wavelengths } = turner;
  const d = q.length;
  const pairs = Array.from({ length: d / 2 }, (_, index): Pair => {
    const [a, b] = channelsOf(index, d, room.pairing.value);
    return {
      index,
      channels: [a, b],
      theta: frequencies[index]!,
      wavelength: wavelengths[index]!,
      q: [q[a]!, q[b]!],
      k: [k[a]!, k[b]!],
      qTurned: [qTurned[a]!, qTurned[b]!],
      kTurned: [kTurned[a]!, kTurned[b]!],
      score: qTurned[a]! * kTurned[a]! + qTurned[b]! * kTurned[b]!,
    };
  });
  return {
    pairs,
    score: product(qTurned.subarray(0, d), kTurned.subarray(0, d)),
    scoreUnshifted: product(qTurned.subarray(d), kTurned.subarray(d)),
  };
});

export const curve = computed(() => {
  const { q, k } = vectors.value;
  const turner = rope.value;
  return turner && scoreCurve(turner, q, k, span.value);
});

/** Hover previews, click locks: `state.rotate.pair` is the locked one. */
export const previewPair = signal<number | undefined>(undefined);
export const shownPair = computed(() => Math.min(previewPair.value ?? room.pair.value, pairCount.value - 1));
