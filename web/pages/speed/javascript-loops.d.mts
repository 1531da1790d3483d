/** Rotates x [batch, sequence, heads, dim] in place by cos and sin [sequence, dim / 2]. */
export type RotationLoop = (
  x: Float32Array,
  cos: Float32Array,
  sin: Float32Array,
  batch: number,
  sequence: number,
  heads: number,
  dim: number,
) => void;

export type LoopName = "nested" | "heads inside" | "by head";
export const LOOPS: Readonly<Record<LoopName, Readonly<Record<"half" | "interleaved", RotationLoop>>>>;
