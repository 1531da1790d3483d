/** Which pairing made a sample. */
import { type Core, Scratch } from "./core.js";
import { optionsObject, refusal } from "./errors.js";
import type { NativeCore } from "./module.js";
import { optionsToJson } from "./options.js";
import { PAIRINGS, type Pairing } from "./pairing.js";
import { type Placement, sizesOf } from "./placement.js";
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
    return [scratch.float32(name, values), values.length] as const;
  };
  try {
    const found = core.native.detectPairing(
      json,
      ...copied("x", x),
      ...copied("rotated", rotated),
      at.batch,
      at.sequence,
      at.heads,
      at.layout,
      at.strides.batch,
      at.strides.sequence,
      at.strides.head,
      at.positions === undefined ? 0 : scratch.float64("positions", at.positions),
      at.positions === undefined ? 0 : at.positions.length,
      at.start,
    );
    if (found < -1) throw core.failure();
    return PAIRINGS[found];
  } finally {
    scratch.free();
  }
}
