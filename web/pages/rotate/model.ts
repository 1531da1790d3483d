import { computed, effect, signal } from "@preact/signals";
import type { Rope, RopeOptions } from "ropewalk";
import { library } from "../../library/library.js";
import { channelsOf, type Pair, product, rotateAt, scoreCurve } from "../../rope/pairs.js";
import { makeVectors } from "../../rope/vectors.js";
import { state } from "./state.js";

/** The last position of the sliders, and the greatest distance of the curve. */
export const span = computed(() => Number(state.span.value));
export const headDim = computed(() => state.d.value);
export const pairCount = computed(() => headDim.value / 2);

export const options = computed<RopeOptions>(() => ({
  headDim: state.d.value,
  pairing: state.pairing.value,
  frequencies: { type: "default", base: Number(state.base.value) },
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
  for (const position of [state.m, state.n, state.shift]) if (position.value > span.value) position.value = span.value;
});
effect(() => {
  if (state.pair.value >= pairCount.value) state.pair.value = pairCount.value - 1;
});

/** The drawn vectors, with the pairs that the visitor has moved. */
export const vectors = computed(() => {
  const made = makeVectors(state.vectors.value, state.seed.value, state.d.value);
  for (const { of, pair, to } of state.moved.value) {
    if (pair >= pairCount.value) continue;
    for (const [i, channel] of channelsOf(pair, state.d.value, state.pairing.value).entries())
      made[of][channel] = to[i]!;
  }
  return made;
});

/** Positions of query and key, the shift included. */
export const queryPosition = computed(() => state.m.value + state.shift.value);
export const keyPosition = computed(() => state.n.value + state.shift.value);
export const distance = computed(() => state.m.value - state.n.value);

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
  const qTurned = rotateAt(turner, q, Float64Array.of(queryPosition.value, state.m.value));
  const kTurned = rotateAt(turner, k, Float64Array.of(keyPosition.value, state.n.value));
  const { frequencies, wavelengths } = turner;
  const d = q.length;
  const pairs = Array.from({ length: d / 2 }, (_, index): Pair => {
    const [a, b] = channelsOf(index, d, state.pairing.value);
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

/** Hover to preview, click to keep: `state.pair` is the locked one. */
export const previewPair = signal<number | undefined>(undefined);
export const shownPair = computed(() => Math.min(previewPair.value ?? state.pair.value, pairCount.value - 1));

/** The measure that a dial keeps while one of its arrows is drawn out. */
export const heldScale = signal<number | undefined>(undefined);

/** The pair whose rotated arrow is `turned`: the library rotates it back. */
export function unturned(of: "q" | "k", pair: number, turned: readonly [number, number]): readonly [number, number] {
  const x = new Float32Array(headDim.value);
  const [a, b] = channelsOf(pair, headDim.value, state.pairing.value);
  [x[a], x[b]] = turned;
  const positions = of === "q" ? queryPosition.value : keyPosition.value;
  rope.value?.unrotate(x, { sequence: 1, heads: 1, positions, out: x });
  return [x[a]!, x[b]!];
}

/** The matrix that turns the query, [d, d]: its columns are what becomes of the unit vectors. */
export const matrix = computed(() => {
  const d = headDim.value;
  const turner = rope.value;
  if (!turner) return undefined;
  const unit = Float32Array.from({ length: d * d }, (_, i) => Number(i % d === Math.floor(i / d)));
  const turned = turner.rotate(unit, {
    sequence: d,
    heads: 1,
    positions: new Float64Array(d).fill(queryPosition.value),
  });
  return turned.map((_, i) => turned[(i % d) * d + Math.floor(i / d)]!);
});
