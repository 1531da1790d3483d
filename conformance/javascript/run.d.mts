export interface Case {
  name: string;
  head_dim: number;
  rotary_dim: number;
  frequencies: { type: string } & Record<string, unknown>;
  sequence_length: number | null;
  /** Only in vectors of several axes. */
  axes?: object;
}

/** Functions by which an implementation shows one rope. Missing ones are not compared. */
export interface Subject {
  theta?: () => ArrayLike<number>;
  magnitude?: () => number;
  /** [cos, sin] at a position, times the magnitude. A position has one number for each axis where there are several. */
  table?: (position: number | number[]) => ArrayLike<number>[];
  rotate?: (x: number[], position: number | number[]) => ArrayLike<number>;
}

export interface Adapter {
  precision: "float64" | "float32-output" | "float32";
  make(one: Case, pairing: "half" | "interleaved"): Subject | null | Promise<Subject | null>;
  read?: (config: object, one: Case) => Subject | null | Promise<Subject | null>;
  /** True if `make` knows the member `axes` of a case. */
  axes?: boolean;
}

export interface Result {
  held: boolean;
  values: number;
  unsupported: string[];
  /** The largest difference as a share of the tolerance. */
  worst: number;
}

export function run(
  adapter: Adapter,
  load: (name: string) => Promise<unknown>,
  say?: (line: string) => void,
): Promise<Result>;
