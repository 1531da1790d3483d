import type { Source } from "./source.js";

/** Calls to the worker that holds the model. Sizes: B batch (1 here), S tokens, H heads, D head dimension. */

export interface ModelFacts {
  readonly name: string;
  readonly shipped: boolean;
  readonly parameters: number;
  readonly layers: number;
  readonly heads: number;
  readonly hidden: number;
  readonly vocabulary: number;
  /** How many words the tokenizer has; undefined without one. */
  readonly words: number | undefined;
  readonly bytes: number | undefined;
  readonly variant: string;
  readonly version: string;
  readonly milliseconds: number;
}

export interface Fill {
  readonly token: string;
  readonly probability: number;
}

/** A word at the place of a token: its logit, and its share of the softmax over the vocabulary. */
export interface Guess extends Fill {
  readonly logit: number;
}

/** Queries and keys of each layer: [S, H, D]. */
export interface QueriesAndKeys {
  readonly queries: readonly Float32Array[];
  readonly keys: readonly Float32Array[];
}

export interface ModelRun {
  readonly text: string;
  readonly ids: Int32Array;
  /** Words of the text that the tokenizer does not know and reads as [UNK]. */
  readonly unknown: readonly string[];
  readonly tokens: readonly string[];
  /** Indices of the masks in `tokens`, ascending. */
  readonly masks: readonly number[];
  /** Per mask, most probable first. */
  readonly fills: ReadonlyArray<readonly Fill[]>;
  /** Per layer [H, S, S]: row i is what token i attends to; each row sums to 1. */
  readonly attentions: readonly Float32Array[];
  readonly heads: number;
  /** Per layer [H, S, S]: the scores whose softmax the attentions are; none where attention takes no softmax. */
  readonly scores: readonly Float32Array[];
  /** As the scores see them. */
  readonly rotated: QueriesAndKeys;
  /** The same before their rotation; where nothing is rotated, the very same. */
  readonly plain: QueriesAndKeys;
  /** Radians per position of each pair of channels; none where nothing is rotated. */
  readonly thetas: readonly number[];
  /** Per token, most probable first; empty without a masked-language-model head. */
  readonly guesses: ReadonlyArray<readonly Guess[]>;
  /** None in a recorded run, which took this page no time. */
  readonly milliseconds?: { readonly tokenise: number; readonly forward: number; readonly fill: number };
}

export type ModelCalls = {
  /**
   * Reads a model and, only when all of it is sound, puts it in the place of the one before. Without a tokenizer it takes
   * token ids. `rotation` false: the same weights with no position encoding at all.
   */
  open: { args: Source & { readonly rotation: boolean }; result: ModelFacts };
  run: { args: { readonly text: string; readonly topK: number }; result: ModelRun };
};
