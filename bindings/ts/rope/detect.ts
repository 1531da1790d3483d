/** Which pairing made a sample. */

import type { Core } from "../module/core.js";
import { optionsObject, refusal } from "../module/errors.js";
import type { NativeCore } from "../module/native.js";
import { optionsToJson } from "../module/options.js";
import { Scratch } from "../module/scratch.js";
import { Call } from "./call.js";
import { PAIRINGS, type Pairing } from "./pairing.js";
import { type Placement, placed, sizesOf } from "./placement.js";
import type { RopeOptions } from "./rope.js";

export function detectPairing(
  core: Core<NativeCore>,
  x: Float32Array,
  rotated: Float32Array,
  rope: RopeOptions,
  placement: Placement,
): Pairing | undefined {
  const fn = "detectPairing";
  const json = optionsToJson(fn, optionsObject(fn, "rope", rope));
  const at = sizesOf(fn, placement);
  const scratch = new Scratch(core, fn);
  const copied = (name: string, values: Float32Array) => {
    if (!(values instanceof Float32Array)) throw new TypeError(refusal(fn, name, values, "a Float32Array"));
    return scratch.elements(name, values, 0);
  };
  try {
    const address = copied("x", x);
    const outAddress = copied("rotated", rotated);
    const arrays = { address, size: x.length, type: 0, outAddress, outSize: rotated.length, outType: 0 };
    new Call(core.native).write(arrays, at, placed(scratch, at), 0);
    const found = core.native.detectPairing(json);
    if (found < -1) throw core.failure();
    return PAIRINGS[found];
  } finally {
    scratch.free();
  }
}
