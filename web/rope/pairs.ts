import type { Rope } from "ropewalk";

/** x [D] at every one of `positions`, rotated by the library in one call: [positions, D]. */
export function rotateAt(rope: Rope, x: Float32Array, positions: Float64Array): Float32Array {
  const copies = new Float32Array(positions.length * x.length);
  for (let i = 0; i < positions.length; i++) copies.set(x, i * x.length);
  return rope.rotate(copies, { sequence: positions.length, heads: 1, positions, out: copies });
}

/** The two channels that pair j turns. */
export function channelsOf(pair: number, headDim: number, pairing: "interleaved" | "half"): readonly [number, number] {
  return pairing === "half" ? [pair, pair + headDim / 2] : [2 * pair, 2 * pair + 1];
}

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

/** q . k, the sum of the products. */
export function product(q: Float32Array, k: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < q.length; i++) sum += q[i]! * k[i]!;
  return sum;
}

export interface ScoreCurve {
  /** m - n */
  readonly distances: Float64Array;
  readonly scores: Float64Array;
}

/** The score at every distance from -span to span: q turned to each distance, k left at position 0. */
export function scoreCurve(rope: Rope, q: Float32Array, k: Float32Array, span: number): ScoreCurve {
  // Quarter positions where the fastest pair would look jagged, whole ones where nobody could see it.
  const step = span <= 64 ? 0.25 : span <= 256 ? 0.5 : 1;
  const count = (2 * span) / step + 1;
  const distances = Float64Array.from({ length: count }, (_, i) => i * step - span);
  const turned = rotateAt(rope, q, distances);
  const key = rotateAt(rope, k, new Float64Array(1));
  const scores = distances.map((_, i) => product(turned.subarray(i * q.length, (i + 1) * q.length), key));
  return { distances, scores };
}
