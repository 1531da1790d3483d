/** The public types of the checker. */
import type { DType } from "../../module/tensor.js";
import type { RopeLimits } from "../../rope/analysis.js";
import type { Pairing } from "../../rope/pairing.js";

/** A library whose reading is emulated; "getattr-legacy" is a pattern of code, and "remote-..." code that checkpoints bring along. */
export type Reader =
  | "ropewalk"
  | "transformers-4"
  | "transformers-5"
  | "getattr-legacy"
  | "vllm"
  | "sglang"
  | "mlx-lm"
  | "onnxruntime-genai"
  | "llama.cpp"
  | "remote-gte"
  | "remote-nomic";

/** At least one member. */
export interface RopeSubject {
  /** config.json of Hugging Face, parsed, or GGUF metadata. */
  config?: object | undefined;
  /** theta_j as the program under test uses them, for instance printed from `inv_freq`. */
  inverseFrequencies?: ArrayLike<number> | undefined;
  /** A row of cos and sin at a position. */
  row?: { cos: ArrayLike<number>; sin: ArrayLike<number>; position: number } | undefined;
}

export interface CheckOptions {
  /** Default: all that have the family, except "getattr-legacy", which stands for a mistake rather than for a library. */
  readers?: readonly Reader[] | undefined;
  /**
   * Tokens: a reading is what rotates a sequence of exactly so many. Default: max_position_embeddings or
   * another name of it, else factor times original length, else the default of the class, else 8192.
   */
  context?: number | undefined;
  /** Default: every layer type. */
  layerType?: string | undefined;
  /** The type of numbers that the program computes angles in, for `limits`. Default: no limits. */
  type?: DType | undefined;
}

/** The rope that a reader makes of the configuration, for one type of layers. */
export interface RopeReading {
  reader: Reader;
  /** Library, version and file that the reader follows. */
  source: string;
  layerType?: string;
  /** The base of the powers. */
  base: number;
  /** `type` of `Frequencies`: "default", "linear", "yarn", ... */
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
  /** The texts that it concerns, where the two read those of the whole context alike. */
  when?: string;
  /** The smallest whole distance at which an angle differs by 0.1 radian; Infinity if it is never reached. */
  tokensUntilTenthRadian: number;
}

/** Something in the file that cannot be meant, whatever the readers make of it. */
export interface RopeProblem {
  /** The key, as `rope_scaling.factor`. */
  key: string;
  problem: string;
  /** Text for the file, in the place of the key. */
  paste?: string;
}

/** A reader that differs from most of the others, or from the code that the checkpoint brings along. */
export interface RopeOutlier {
  reader: Reader;
  layers: {
    layerType?: string;
    reads: { rule: string; base: number; magnitude: number };
    others: { rule: string; base: number; magnitude: number; readers: Reader[] };
    /** As in RopeDifference. */
    firstPair: number;
    turnsAtContext: number;
    tokensUntilTenthRadian: number;
  }[];
  /** The texts that it concerns, where those of the whole context are read alike. */
  when?: string;
  /** The key that it reads otherwise. */
  key?: string;
  /** The step to take. */
  change: string;
  /** Text for the file. */
  paste?: string;
}

export interface RopeReport {
  /** Exit code of the command line. */
  code: 0 | 3 | 4 | 5 | 6;
  /**
   * "refused" (6): most readers that have the family refuse the file, or all; it leads whatever a table says.
   * "no-rotation" (0): positions of this model are not rotated, and the verdict says what they are.
   */
  status: "agree" | "readers-disagree" | "table-differs" | "table-uninitialised" | "refused" | "no-rotation";
  /** One sentence for a person. */
  verdict: string;
  /** Empty without a configuration. */
  readings: RopeReading[];
  /**
   * Readers that refuse the configuration, and why; they take part in no difference. A reader that does not have the family
   * is here only where `readers` names it.
   */
  refusals: { reader: Reader; message: string }[];
  /** One entry for each pair of readers that disagree, and layer type. */
  differences: RopeDifference[];
  /** Readers that differ from the others, and what to change for each. */
  outliers: RopeOutlier[];
  /** Mistakes in the file. A report with code 0 may have some. */
  problems: RopeProblem[];
  /** Tokens of the sequence that was compared, and the key or rule that says so. */
  length?: { tokens: number; from: string };
  /** The rule and base that explain the table best; error is the largest relative error of a frequency. */
  table?: { rule: string; base: number; options: object; error: number };
  /**
   * Limits of the frequencies within the context, where `type` was given: of each type of layers as the strictest reader
   * has it; without a configuration, of the table.
   */
  limits?: (RopeLimits & { layerType?: string })[];
  /** A configuration that all readers read alike, if one exists. */
  fix?: object;
}
