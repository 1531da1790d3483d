/** The calls that the page makes to its worker. */
import type { PositionEncoding } from "ropewalk";

export interface EncodingsQuestion {
  readonly encodings: readonly PositionEncoding[];
  /** Word by word, equal words with equal numbers, from 1. */
  readonly words: readonly number[];
  readonly seed: number;
  readonly head: number;
  /** By how much the shifted view is shifted. */
  readonly shift: number;
  /** The words whose scores the curve holds at every distance. */
  readonly pair: readonly [query: number, key: number];
}

/** Maps of one head over T words: [T, T], query before key. */
export interface View {
  readonly scores: Float32Array;
  readonly attention: Float32Array;
}
export type ViewName = "as-is" | "shifted" | "mirrored" | "stretched";

/** A view is missing where the library refuses: it says why in `refusals`. */
export interface EncodingAnswer {
  readonly encoding: PositionEncoding;
  readonly views: Readonly<Partial<Record<ViewName, View>>>;
  readonly refusals: Readonly<Partial<Record<ViewName, string>>>;
  /** The pair's score with the key at -reach, ..., reach from the query. */
  readonly curve: Float32Array;
}

export type EncodingCalls = {
  encodings: { args: EncodingsQuestion; result: readonly EncodingAnswer[] };
  /** A model.safetensors with the weights that the page computes with, and its config.json. */
  weights: {
    args: { readonly encoding: PositionEncoding; readonly seed: number };
    result: Uint8Array<ArrayBuffer>;
  };
};
