/** The answers that heads give, and the options and modules that they take. */
import type { Floats } from "../encoder-output.js";
import type { CancelOptions, TruncationOptions } from "../text/embed-options.js";

/** Vectors of the tokens of one text. */
export interface TokenVectors {
  /** [rows, n]: the vectors that late interaction compares, after the model's modules and without skipped tokens. */
  vectors: Floats;
  rows: number;
  /** Ids of the rows. */
  ids: Int32Array<ArrayBuffer>;
}

/** The words of a text with a weight above 0. */
export interface SparseVector {
  /** Ids of the words, rising. */
  ids: Int32Array<ArrayBuffer>;
  /** Greater than 0. */
  weights: Floats;
}

/** The side of a search that a text stands on, which decides about prompts, lengths and skipped tokens. */
export type Side = "query" | "document";

export interface SideOptions extends CancelOptions {
  /** Default "document". */
  as?: Side | undefined;
}

export interface RankOptions extends CancelOptions, TruncationOptions {
  /** The number of documents in the answer. Default: all. */
  topK?: number | undefined;
  /** In place of the instruction in the model's prompt for queries, or in the chat template of a causal reranker. */
  instruction?: string | undefined;
}

export interface ZeroShotOptions extends CancelOptions {
  /** A sentence with {} where a label belongs. Default "This example is {}." */
  hypothesis?: string | undefined;
  /** True if several labels may hold: each score is then a probability of its own. Default false. */
  multiple?: boolean | undefined;
}

/** A module of modules.json: the last word of its type, and the folder of its files. */
export interface Module {
  kind: string;
  path: string;
}

/** Modules that make something else than one vector of hidden states. */
export interface Form {
  kind: "tokens" | "sparse" | "static" | "score";
  modules: readonly Module[];
}
