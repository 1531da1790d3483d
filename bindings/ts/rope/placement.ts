/** Places of the heads of an array in memory, and positions of its tokens. */

import { numbersOf, sizesListOf } from "../module/arrays.js";
import { optionsObject, refusal, signedWholeNumber, wholeNumber } from "../module/errors.js";
import { LAYOUTS } from "../module/numbers.js";
import type { Scratch } from "../module/scratch.js";
import type { DType } from "../module/tensor.js";

/** Distances between neighbours, in elements. The channels of a head are always contiguous. */
export interface Strides {
  batch: number;
  sequence: number;
  head: number;
}

/** Sizes by name, so that no order of axes can be mistaken. */
export interface Placement {
  /** B: sequences in x, all of `sequence` tokens. A whole number, at least 1. Default 1; with the layout 'thd' always 1. */
  batch?: number | undefined;
  /** S: tokens per sequence; all tokens with the layout 'thd'. */
  sequence: number;
  /** H: heads of x, which rotate alike. For keys of grouped-query attention the number of key heads. At least 1. */
  heads: number;
  /**
   * Memory order of x: [B, S, H, D], [B, H, S, D], or packed sequences [tokens, H, D] of `cumulativeLengths`. Default
   * 'bshd'.
   */
  layout?: "bshd" | "bhsd" | "thd" | undefined;
  /**
   * With 'thd': where each packed sequence begins, then the number of all tokens: [0, 5, 12] is two sequences of 5 and
   * 7 tokens. A start counts anew in each.
   */
  cumulativeLengths?: ArrayLike<number> | undefined;
  /** Explicit element strides instead of a layout. */
  strides?: Strides | undefined;
  /**
   * A start (default 0: token s stands at start + s), or one value per token, [S] or [B*S]; with several axes also one
   * per axis and token, [axes*B*S], axis-major. Negative and fractional values are allowed.
   */
  positions?: number | ArrayLike<number> | undefined;
  /** The type of elements in a Uint16Array, for which it is required. Other arrays and Tensors know their own. */
  dtype?: DType | undefined;
}

/** A placement as C++ takes it. */
export interface Sizes {
  batch: number;
  sequence: number;
  heads: number;
  /** Place in ropewalk::Layout; -1 when strides say it. */
  layout: number;
  strides: Strides;
  start: number;
  /** Instead of a start. */
  positions: Float64Array | undefined;
  cumulativeLengths: readonly number[] | undefined;
}

/** The lists of a placement in the module's memory, addresses 0 where there are none. */
export interface Placed {
  positions: number;
  count: number;
  lengths: number;
  lengthCount: number;
}

const BSHD = LAYOUTS.indexOf("bshd");
const NO_STRIDES: Strides = { batch: 0, sequence: 0, head: 0 };

function layoutOf(fn: string, { layout }: Placement, strides: Strides | undefined): number {
  if (strides !== undefined) {
    if (layout === undefined) return -1;
    throw refusal("range", fn, "layout", layout, "none beside `strides`, which say it already");
  }
  const place = layout === undefined ? BSHD : LAYOUTS.indexOf(layout);
  if (place >= 0) return place;
  throw refusal("range", fn, "layout", layout, '"bshd", "bhsd" or "thd"');
}

function stridesOf(fn: string, name: string, strides: Strides): Strides {
  optionsObject(fn, name, strides);
  return {
    batch: signedWholeNumber(fn, `${name}.batch`, strides.batch),
    sequence: signedWholeNumber(fn, `${name}.sequence`, strides.sequence),
    head: signedWholeNumber(fn, `${name}.head`, strides.head),
  };
}

/** Strides of k, given exactly when those of q are. */
export function keyStridesOf(fn: string, strides: Strides | undefined, keyStrides: Strides | undefined): Strides {
  if ((strides === undefined) === (keyStrides === undefined)) {
    return keyStrides === undefined ? NO_STRIDES : stridesOf(fn, "keyStrides", keyStrides);
  }
  throw refusal("type", fn, "keyStrides", keyStrides, "strides of k exactly where `strides` gives those of q");
}

/** Reads all of a placement, lists last of all. */
export function sizesOf(fn: string, placement: Placement): Sizes {
  optionsObject(fn, "placement", placement);
  const { positions, strides, batch, sequence, heads, cumulativeLengths } = placement;
  return {
    batch: batch === undefined ? 1 : wholeNumber(fn, "batch", batch),
    sequence: wholeNumber(fn, "sequence", sequence),
    heads: wholeNumber(fn, "heads", heads),
    layout: layoutOf(fn, placement, strides),
    strides: strides === undefined ? NO_STRIDES : stridesOf(fn, "strides", strides),
    start: typeof positions === "number" ? positions : 0,
    positions:
      positions === undefined || typeof positions === "number" ? undefined : numbersOf(fn, "positions", positions),
    cumulativeLengths:
      cumulativeLengths === undefined ? undefined : sizesListOf(fn, "cumulativeLengths", cumulativeLengths),
  };
}

type Lists = Pick<Sizes, "positions" | "cumulativeLengths">;

export const hasLists = (at: Lists) => at.positions !== undefined || at.cumulativeLengths !== undefined;

export const NO_LISTS: Placed = { positions: 0, count: 0, lengths: 0, lengthCount: 0 };

/** Copies what is a list. `name` is what the positions are called. */
export function placed(scratch: Scratch, at: Lists, name = "positions"): Placed {
  if (!hasLists(at)) return NO_LISTS;
  const { positions, cumulativeLengths: lengths } = at;
  return {
    positions: positions === undefined ? 0 : scratch.float64(name, positions),
    count: positions === undefined ? 0 : positions.length,
    lengths: lengths === undefined ? 0 : scratch.int32("cumulativeLengths", lengths),
    lengthCount: lengths === undefined ? 0 : lengths.length,
  };
}
