import type { Source } from "../../model/source.js";

/** Calls to the worker that holds the sentence encoder. Sizes: Q tokens of the query, T tokens of the text. */
export interface SearchModel {
  readonly name: string;
  readonly modelType: string;
  readonly parameters: number;
  readonly dimensions: number;
  /** True if it can be read without its rotation: a RoFormer can. */
  readonly rotates: boolean;
  readonly shipped: boolean;
}
export interface Scores {
  /** The cosine of the query and each text. */
  readonly cosines: Float32Array;
  /** Words of the query that the tokenizer does not know. */
  readonly unknown: readonly string[];
  /** How many of the texts hold a word that it does not know. */
  readonly unknownTexts: number;
}
export interface Pair {
  readonly queryTokens: readonly string[];
  readonly textTokens: readonly string[];
  /** [Q, T]: cosines of the tokens' last hidden states. */
  readonly similarities: Float32Array;
  /** [T]: what each token of the text adds to the cosine; undefined where the model does not take the mean. */
  readonly shares: Float32Array | undefined;
  /** As in `Scores`. */
  readonly cosine: number;
}
export type SearchCalls = {
  /** Opens a model: this site's, the visitor's, or one of the hub. It replaces the one before once it is sound. */
  open: {
    args: Source;
    result: SearchModel;
  };
  /** Embeds what is not embedded yet, which its progress counts. */
  search: {
    args: { readonly query: string; readonly texts: readonly string[]; readonly rotation: boolean };
    result: Scores;
  };
  compare: { args: { readonly query: string; readonly text: string; readonly rotation: boolean }; result: Pair };
};
