/** The reference values of tests/golden, which nothing here computed. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RopeOptions } from "ropewalk";

export const goldenUrl = (path: string): URL => new URL(`../golden/${path}`, import.meta.url);
export const goldenPath = (path: string): string => fileURLToPath(goldenUrl(path));
export const goldenBytes = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(goldenUrl(path)));

export function readGolden<T>(path: string): T {
  return JSON.parse(readFileSync(goldenUrl(path), "utf8")) as T;
}

/** The two files of a checkpoint. */
export const goldenModel = (folder: string) => ({
  "config.json": readGolden<object>(`${folder}/config.json`),
  "model.safetensors": goldenBytes(`${folder}/model.safetensors`),
});

export interface RotationCase {
  name: string;
  /** [B, S, H, D] */
  shape: [number, number, number, number];
  pairing: "interleaved" | "half";
  config: {
    head_dim: number;
    rope_theta?: number;
    max_position_embeddings?: number;
    rope_scaling?: { rope_type: string; factor?: number; alpha?: number; rho?: number };
  };
  rotary_dim: number;
  attention_factor: number;
  positions: number[];
  x: number[];
  y: number[];
}

export const rotationCases = (): RotationCase[] => readGolden<{ cases: RotationCase[] }>("rope/rotate.json").cases;

/** The rule of a case, as our options say it. */
export function optionsOf({ config, rotary_dim, pairing }: RotationCase): RopeOptions {
  const { rope_theta: base, rope_scaling: scaling, max_position_embeddings: longest } = config;
  const options: RopeOptions = { headDim: config.head_dim, rotaryDim: rotary_dim, pairing };
  if (scaling?.rope_type === "yarn") {
    return { ...options, frequencies: { type: "yarn", factor: scaling.factor!, originalMaxPositions: longest! } };
  }
  if (scaling?.rope_type === "receptive-field") {
    return { ...options, frequencies: { type: "receptive-field", alpha: scaling.alpha!, rho: scaling.rho! } };
  }
  return { ...options, frequencies: { type: "default", base } };
}

/** Largest difference, each in units of the length of its pair before rotation; NaN where one is. */
export function largestPairError(
  y: Float32Array,
  expected: readonly number[],
  x: readonly number[],
  one: Pick<RotationCase, "shape" | "pairing" | "rotary_dim" | "attention_factor">,
): number {
  const headDim = one.shape[3];
  const half = one.rotary_dim / 2;
  if (y.length !== expected.length) throw new RangeError(`${y.length} numbers for ${expected.length}`);
  let largest = 0;
  for (let head = 0; head < y.length; head += headDim) {
    for (let j = 0; j < half; j++) {
      const a = head + (one.pairing === "half" ? j : 2 * j);
      const b = head + (one.pairing === "half" ? j + half : 2 * j + 1);
      const length = Math.hypot(x[a]!, x[b]!) * one.attention_factor;
      const error = Math.max(Math.abs(y[a]! - expected[a]!), Math.abs(y[b]! - expected[b]!));
      if (error !== 0) largest = Math.max(largest, error / length);
    }
  }
  return largest;
}
