/** Detects the pairing that made a sample. */

import { kindOf, Source } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal } from "../module/errors.js";
import type { NativeCore } from "../module/native.js";
import { DTYPES, PAIRINGS, ROLES } from "../module/numbers.js";
import { optionsToJson } from "../module/options.js";
import { Scratch } from "../module/scratch.js";
import { Call } from "./call.js";
import type { Pairing } from "./pairing.js";
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
  for (const [name, values] of Object.entries({ x, rotated })) {
    if (kindOf(values) !== "Float32Array") throw refusal("type", fn, name, values, "a Float32Array");
  }
  const from = new Source(core.native.wasmMemory, x);
  const to = new Source(core.native.wasmMemory, rotated);
  const scratch = new Scratch(core, fn);
  try {
    const address = scratch.elements("x", from);
    const outAddress = scratch.elements("rotated", to);
    const type = DTYPES.indexOf("float32");
    const arrays = { address, size: from.length, type, outAddress, outSize: to.length, outType: type };
    const lists = placed(scratch, at);
    const found = core.withText(fn, "`rope`", json, (options, size) => {
      new Call(core.native).write(arrays, at, lists, ROLES.indexOf("query"));
      return core.native.detectPairing(options, size);
    });
    if (found < -1) throw core.failure();
    return PAIRINGS[found];
  } finally {
    scratch.free();
  }
}
