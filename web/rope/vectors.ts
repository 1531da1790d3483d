/** How the query and the key of the Rotate page are made: inputs, before any rotation. Both have length 1. */
export type Vectors = "related" | "equal" | "random" | "ones";

/** mulberry32: small, seedable, and good enough to draw arrows from. */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function normals(count: number, next: () => number): Float32Array {
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  );
}

function unit(x: Float32Array): Float32Array {
  const length = Math.hypot(...x);
  return x.map((value) => value / length);
}

export function makeVectors(kind: Vectors, seed: number, headDim: number): { q: Float32Array; k: Float32Array } {
  const next = uniform(seed);
  const q = unit(kind === "ones" ? new Float32Array(headDim).fill(1) : normals(headDim, next));
  if (kind === "ones" || kind === "equal") return { q, k: q.slice() };
  const other = unit(normals(headDim, next));
  return { q, k: kind === "random" ? other : unit(q.map((value, i) => 0.8 * value + 0.6 * other[i]!)) };
}
