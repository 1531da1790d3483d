/** Calls of the Speed page to its worker. Sizes: B batch, S tokens, H heads, D head dimension. */

export const shapes = {
  decode: { batch: 1, sequence: 1, heads: 32, headDim: 128 },
  prompt: { batch: 1, sequence: 128, heads: 12, headDim: 64 },
  batch: { batch: 8, sequence: 512, heads: 12, headDim: 64 },
  long: { batch: 1, sequence: 2048, heads: 32, headDim: 128 },
} as const;
export type ShapeName = keyof typeof shapes;

/** The loops in JavaScript that the benchmark measures too: which is fastest depends on the engine and the shape. */
export const javascriptLoops = ["nested", "heads inside", "by head"] as const;
export type JavascriptLoop = (typeof javascriptLoops)[number];

/** Who rotates, in the order of the table. `limit` scales the same numbers in place: less work there cannot be. */
export const contestants = [...javascriptLoops, "scalar", "simd", "relaxed", "ropewalk", "limit"] as const;
export type Contestant = (typeof contestants)[number];

export interface Prepared {
  /** Largest distance from a float64 rotation, as a share of the pair's length; undefined: cannot run here. */
  readonly errors: Readonly<Record<Exclude<Contestant, "limit">, number | undefined>>;
  readonly version: string;
  readonly variant: string;
  /** Heap of the package's module while it holds the tensor. */
  readonly heapBytes: number;
  /** From `load()` to the first rotated numbers, the first time this worker did it. */
  readonly startMilliseconds: number;
  /** Steps of this browser's clock. */
  readonly clockMicroseconds: number;
}

/** Microseconds per call. */
export type Round = Readonly<Partial<Record<Contestant, number>>>;

export type SpeedCalls = {
  /** Makes every contestant, checks it, and runs it until the engine has compiled it. */
  prepare: { args: { readonly shape: ShapeName; readonly pairing: "half" | "interleaved" }; result: Prepared };
  /** Every contestant once, one after the other, so that other load on the machine affects all of them equally. */
  round: { args: undefined; result: Round };
};
