/** Rotation by given angles, for encodings whose angles are not position times frequency. */

import { numbersOf } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import type { NativeCore } from "../module/native.js";
import { PAIRINGS } from "../module/numbers.js";
import { Scratch } from "../module/scratch.js";
import { Call, type GivenSizes } from "./call.js";
import type { Pairing } from "./pairing.js";

/** Shape of x [B, S, H, D] and of angles [B, S, H or 1, P], in radians. The first 2P channels rotate, the others pass. */
export interface GivenAngles {
  /** B */
  batch: number;
  /** S */
  sequence: number;
  /** H */
  heads: number;
  /** D */
  dimension: number;
  /** P, at most D / 2. */
  pairs: number;
  /** 'interleaved': channels (2j, 2j+1). 'half': (j, j + P). */
  pairing: Pairing;
}

function givenSizes(fn: string, shape: GivenAngles): GivenSizes {
  const { batch, sequence, heads, dimension, pairs, pairing } = optionsObject(fn, "shape", shape);
  const place = PAIRINGS.indexOf(pairing);
  if (place < 0) throw refusal("range", fn, "pairing", pairing, '"interleaved" or "half"');
  return {
    batch: wholeNumber(fn, "batch", batch),
    sequence: wholeNumber(fn, "sequence", sequence),
    heads: wholeNumber(fn, "heads", heads),
    dimension: wholeNumber(fn, "dimension", dimension),
    pairs: wholeNumber(fn, "pairs", pairs),
    pairing: place,
  };
}

export function rotateBy(
  core: Core<NativeCore>,
  x: ArrayLike<number>,
  angles: ArrayLike<number>,
  shape: GivenAngles,
  gradY?: ArrayLike<number>,
): { x: Float32Array<ArrayBuffer>; angles: Float32Array<ArrayBuffer> | undefined } {
  const fn = gradY === undefined ? "rotateBy" : "rotateByGradient";
  const sizes = givenSizes(fn, shape);
  const from = numbersOf(fn, "x", x);
  const by = numbersOf(fn, "angles", angles);
  const gradient = gradY === undefined ? undefined : numbersOf(fn, "gradY", gradY);
  const scratch = new Scratch(core, fn);
  try {
    const address = scratch.float32("x", from);
    const angleAddress = scratch.float64("angles", by);
    const gradAddress = gradient === undefined ? 0 : scratch.float32("gradY", gradient);
    const gradAngles = gradient === undefined ? 0 : scratch.allocate("gradAngles", by.length * 8);
    const call = new Call(core.native);
    call.writeGiven(sizes, { address, size: from.length }, { address: angleAddress, size: by.length }, gradAngles, {
      address: gradAddress,
      size: gradient?.length ?? 0,
    });
    if (core.native._ropewalk_rotate_by() !== 0) throw core.failure();
    return {
      x: core.float32(gradAddress || address, from.length).slice(),
      angles: gradient && Float32Array.from(core.float64(gradAngles, by.length)),
    };
  } finally {
    scratch.free();
  }
}
