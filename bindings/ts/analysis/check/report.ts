/** The public types of the checker. */
import type { Pairing } from "../../rope/pairing.js";

export type Reader =
  | "ropewalk"
  | "transformers-4"
  | "transformers-5"
  | "getattr-legacy"
  | "llama.cpp"
  | "remote-gte"
  | "remote-nomic";

/** At least one member. */
export interface RopeSubject {
  /** config.json of Hugging Face, parsed, or GGUF metadata. */
  config?: object;
  /** theta_j as the program under test uses them, for instance printed from `inv_freq`. */
  inverseFrequencies?: ArrayLike<number>;
  /** A row of cos and sin at a position. */
  row?: { cos: ArrayLike<number>; sin: ArrayLike<number>; position: number };
}

export interface CheckOptions {
  /** Default: all that can read the subject. */
  readers?: readonly Reader[];
  /**
   * Tokens: a reading is what rotates a sequence of exactly so many. Default: max_position_embeddings (n_positions), else
   * 8192.
   */
  context?: number;
  /** Default: every layer type. */
  layerType?: string;
}

export interface RopeReading {
  reader: Reader;
  /** Library, version and file that the reader follows. */
  source: string;
  layerType?: string;
  base: number;
  rule: string;
  pairing: Pairing;
  /** Factor of cos and sin (attention scaling). */
  magnitude: number;
  /** theta_j in radians per position, one for each rotated pair. */
  frequencies: Float64Array<ArrayBuffer>;
  notes: string[];
  /** The model multiplies the scale of its softmax by it (DeepSeek's YaRN). Absent: 1. */
  softmaxScale?: number;
  /** Indices of layers that do not rotate. Absent: all rotate, or the configuration does not say. */
  layersWithoutRotation?: number[];
}

export interface RopeDifference {
  a: Reader;
  b: Reader;
  layerType?: string;
  /** First pair whose theta differs; -1 where only magnitude, pairing, softmax scale or layers do. */
  firstPair: number;
  /** Largest difference of theta times the context, in turns; not reduced modulo one turn. */
  turnsAtContext: number;
  /** The smallest whole distance at which an angle differs by 0.1 radian; Infinity if it is never reached. */
  tokensUntilTenthRadian: number;
}

export interface RopeReport {
  /** Exit code of the command line. */
  code: 0 | 3 | 4 | 5;
  status: "agree" | "readers-disagree" | "table-differs" | "table-uninitialised";
  /** One sentence for a person. */
  verdict: string;
  /** Empty without a configuration. */
  readings: RopeReading[];
  /** Readers that refuse the configuration, and why. They take part in no difference and in no code. */
  refusals: { reader: Reader; message: string }[];
  /** One entry for each pair of readers that disagree, and layer type. */
  differences: RopeDifference[];
  /** The rule and base that explain the table best; error is the largest relative error of a frequency. */
  table?: { rule: string; base: number; options: object; error: number };
  /** A configuration that all readers read alike, if one exists. */
  fix?: object;
}
