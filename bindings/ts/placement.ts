/** Where the heads of an array lie in memory, and at which positions its tokens stand. */
import { checkArrayLike, optionsObject, refusal, signedWholeNumber, wholeNumber } from "./errors.js";

/** Distances between neighbours, in elements. The channels of a head are always contiguous. */
export interface Strides {
  batch: number;
  sequence: number;
  head: number;
}

/** Sizes by name, so that no order of axes can be mistaken. */
export interface Placement {
  /** B. Default 1. */
  batch?: number;
  /** S: tokens per sequence. */
  sequence: number;
  /** H */
  heads: number;
  /** Memory order of x: [B, S, H, D] or [B, H, S, D]. Default 'bshd'. */
  layout?: "bshd" | "bhsd";
  /** Explicit element strides instead of a layout. */
  strides?: Strides;
  /**
   * A start (default 0: token s stands at start + s), or one value per token, [S] or [B*S]. Negative and fractional
   * values are allowed.
   */
  positions?: number | ArrayLike<number>;
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
  positions: ArrayLike<number> | undefined;
}

const NO_STRIDES: Strides = { batch: 0, sequence: 0, head: 0 };

function layoutOf(fn: string, placement: Placement): number {
  const { layout, strides } = placement;
  if (strides !== undefined) {
    if (layout === undefined) return -1;
    throw new RangeError(refusal(fn, "layout", layout, "none beside `strides`, which say it already"));
  }
  if (layout === undefined || layout === "bshd") return 0;
  if (layout === "bhsd") return 1;
  throw new RangeError(refusal(fn, "layout", layout, '"bshd" or "bhsd"'));
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
  throw new TypeError(refusal(fn, "keyStrides", keyStrides, "strides of k exactly where `strides` gives those of q"));
}

export function sizesOf(fn: string, placement: Placement): Sizes {
  optionsObject(fn, "placement", placement);
  const { positions, strides, batch } = placement;
  if (positions !== undefined && typeof positions !== "number") checkArrayLike(fn, "positions", positions);
  return {
    batch: batch === undefined ? 1 : wholeNumber(fn, "batch", batch),
    sequence: wholeNumber(fn, "sequence", placement.sequence),
    heads: wholeNumber(fn, "heads", placement.heads),
    layout: layoutOf(fn, placement),
    strides: strides === undefined ? NO_STRIDES : stridesOf(fn, "strides", strides),
    start: typeof positions === "number" ? positions : 0,
    positions: typeof positions === "number" ? undefined : positions,
  };
}
