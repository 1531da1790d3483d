/** Ropes for pictures, whose patches have a row and a column, and one head that learns by them where to look. */
import type { Rope, RopeOptions } from "ropewalk";

export const headDim = 32;
export const pairCount = headDim / 2;
/** The base of RoPE-ViT's axial ropes. It is small because a grid has few positions. */
const base = 100;

/** Patches on a side in training. */
export const side = 8;
/** Where the head learns to look from a patch of the trained grid: from the door of the house to its chimney. */
export const target: Place = [-4, 2];

/** A patch, or a step between two. */
export type Place = readonly [row: number, column: number];

export type Way = "axial" | "interleaved" | "chunked" | "golden" | "line";
const half = [pairCount / 2, pairCount / 2];
const range = { type: "default", base } as const;
/** Frequencies of pairs that each have their own direction, a golden section of half a turn after the one before. */
const along = (part: (angle: number) => number) =>
  Array.from({ length: pairCount }, (_, j) => part(j * Math.PI * ((Math.sqrt(5) - 1) / 2)) * base ** (-j / pairCount));

export const optionsOf: Readonly<Record<Way, RopeOptions>> = {
  axial: { headDim, frequencies: range, axes: { sections: half, restartFrequencies: true } },
  interleaved: { headDim, frequencies: range, axes: { sections: half, order: "interleaved" } },
  chunked: { headDim, frequencies: range, axes: { sections: half } },
  golden: {
    headDim,
    frequencies: { type: "custom", frequencies: [...along(Math.cos), ...along(Math.sin)] },
    axes: { sections: [pairCount, pairCount] },
  },
  line: { headDim, frequencies: range },
};

export type GridName = "trained" | "extrapolated" | "rescaled";
/** `size`: patches on a side. `scale`: the factor that makes positions of rows and columns. */
export const grids: Readonly<Record<GridName, { readonly size: number; readonly scale: number }>> = {
  trained: { size: side, scale: 1 },
  extrapolated: { size: 2 * side, scale: 1 },
  rescaled: { size: 2 * side, scale: 0.5 },
};
export const gridNames = Object.keys(grids) as GridName[];

/** Positions as `rotate` takes them: all rows, then all columns. For "line" a position is the number of the patch. */
export function positionsOf(way: Way, grid: GridName, places: readonly Place[]): number[] {
  const { size, scale } = grids[grid];
  if (way === "line") return places.map(([row, column]) => (row * size + column) * scale * scale);
  return [0, 1].flatMap((axis) => places.map((place) => place[axis]! * scale));
}

/** The angle of each pair, in radians, from one row of the trained grid to the next, and from one column to the next. */
export function turnsOf(way: Way, { frequencies }: Rope): Place[] {
  return Array.from({ length: pairCount }, (_, j) => {
    const theta = frequencies[j]!;
    if (way === "line") return [side * theta, theta];
    if (way === "golden") return [theta, frequencies[j + pairCount]!];
    return (way === "interleaved" ? j % 2 : j >= pairCount / 2) ? [0, theta] : [theta, 0];
  });
}

/** A key whose pairs all have the same length and the angle 0. The length of the whole key is 1. */
const key = Float32Array.from({ length: headDim }, (_, i) => (i % 2 ? 0 : 1 / Math.sqrt(pairCount)));

/**
 * The key at each step from a query's patch, [2 size - 1, 2 size - 1, headDim]. One array serves every patch, because a score
 * depends on the step alone.
 */
export function keysOf(rope: Rope, way: Way, grid: GridName): Float32Array {
  const { size } = grids[grid];
  const width = 2 * size - 1;
  const steps = Array.from(
    { length: width ** 2 },
    (_, i): Place => [Math.floor(i / width) - size + 1, (i % width) - size + 1],
  );
  const x = new Float32Array(steps.length * headDim);
  steps.forEach((_, i) => {
    x.set(key, i * headDim);
  });
  return rope.rotate(x, { sequence: steps.length, heads: 1, positions: positionsOf(way, grid, steps) });
}

const stepsIn = (keys: Float32Array) => keys.length / headDim;
const sizeOf = (keys: Float32Array) => (Math.sqrt(stepsIn(keys)) + 1) / 2;
/** Index, among the steps, of the step from one patch to another. */
const stepTo = (size: number, [row, column]: Place, [toRow, toColumn]: Place) =>
  (toRow - row + size - 1) * (2 * size - 1) + toColumn - column + size - 1;

/** Values of the steps that lead from one patch to every patch: [size, size]. */
function seenFrom(values: Float64Array, size: number, from: Place): Float64Array {
  const seen = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    const first = stepTo(size, from, [row, 0]);
    seen.set(values.subarray(first, first + size), row * size);
  }
  return seen;
}

/** Scores of the query with the key at each step. Without a query, the key itself is the query. */
function scoresOf(keys: Float32Array, query: ArrayLike<number> = key): Float64Array {
  const scores = new Float64Array(stepsIn(keys));
  for (let at = 0; at < keys.length; at++) scores[Math.floor(at / headDim)]! += query[at % headDim]! * keys[at]!;
  return scores;
}

function softmax(scores: Float64Array): Float64Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** From a patch to every patch: the attention of a query. Without a query, the scores of the key with itself. */
export function mapFrom(keys: Float32Array, from: Place, query?: ArrayLike<number>): Float64Array {
  const scores = seenFrom(scoresOf(keys, query), sizeOf(keys), from);
  return query ? softmax(scores) : scores;
}

/** The cosine of the angle of one pair, from a patch to every patch. */
export function pairFrom(keys: Float32Array, pair: number, from: Place): Float64Array {
  const one = new Float64Array(headDim);
  one[2 * pair] = Math.sqrt(pairCount);
  return seenFrom(scoresOf(keys, one), sizeOf(keys), from);
}

/** Patches from which `step` stays inside the grid, and the patches that it leads to. */
function queriesOf(size: number, [down, right]: Place): Array<[from: Place, to: Place]> {
  return Array.from({ length: size ** 2 }, (_, i): [Place, Place] => {
    const [row, column] = [Math.floor(i / size), i % size];
    return [
      [row, column],
      [row + down, column + right],
    ];
  }).filter(([, to]) => to.every((at) => at >= 0 && at < size));
}

const STEPS = 300;
const RATE = 4;
const MOMENTUM = 0.9;

/** Learns a query that looks at the target, by gradient descent on the cross-entropy over all patches of the trained grid. */
export function learn(keys: Float32Array, steps = STEPS): Float64Array {
  const queries = queriesOf(side, target);
  const query = new Float64Array(headDim);
  const speed = new Float64Array(headDim);
  for (let step = 0; step < steps; step++) {
    const scores = scoresOf(keys, query);
    const slopes = new Float64Array(scores.length);
    for (const [from, to] of queries) {
      const shares = softmax(seenFrom(scores, side, from));
      for (let i = 0; i < shares.length; i++)
        slopes[stepTo(side, from, [Math.floor(i / side), i % side])]! += shares[i]!;
      slopes[stepTo(side, from, to)]! -= 1;
    }
    for (let i = 0; i < headDim; i++) speed[i]! *= MOMENTUM;
    for (let at = 0; at < keys.length; at++) {
      speed[at % headDim]! -= (RATE * slopes[Math.floor(at / headDim)]! * keys[at]!) / queries.length;
    }
    for (let i = 0; i < headDim; i++) query[i]! += speed[i]!;
  }
  return query;
}

/** The patch with the highest value. */
export function highest(map: Float64Array): Place {
  const at = map.indexOf(Math.max(...map));
  const size = Math.sqrt(map.length);
  return [Math.floor(at / size), at % size];
}

/** Share of the patches from which a query looks most at the patch that lies `step` away. */
export function hits(keys: Float32Array, query: ArrayLike<number>, step: Place): number {
  const size = sizeOf(keys);
  const queries = queriesOf(size, step);
  const scores = scoresOf(keys, query);
  const found = queries.filter(([from, to]) => String(highest(seenFrom(scores, size, from))) === String(to));
  return found.length / queries.length;
}
