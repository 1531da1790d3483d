/** Texts as tokens. */

/** UTF-16 code units [start, end) of a text, as `text.slice(start, end)` takes them. */
export type Offsets = [start: number, end: number];

export interface Encoded {
  inputIds: number[];
  /** 0 for the first text, 1 for the second; all 0 for a model without token types. */
  tokenTypeIds: number[];
  /** All 1: nothing is padded. */
  attentionMask: number[];
  tokens: string[];
  /** With `offsets: true`: the offsets of each token in the text that it is from; [0, 0] for special tokens. */
  offsets?: Offsets[];
}

/** Ids of a text: the first, and the one behind the last. */
export type Span = readonly [begin: number, end: number];

/** A text or pair with the special tokens around it. */
export interface Framed {
  encoded: Encoded;
  first: Span;
  /** The second text, if this is a pair. */
  second?: Span;
}
