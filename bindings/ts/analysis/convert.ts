/** Weights from one pairing to the other. */
import { kindOf, Source } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import { DTYPES, PAIRINGS } from "../module/numbers.js";
import { Scratch } from "../module/scratch.js";
import type { Pairing } from "../rope/pairing.js";

export interface PairingConversion {
  from: Pairing;
  to: Pairing;
  /** Heads of this projection: for keys, the number of key-value heads. 1 for a q or k norm weight that heads share. */
  heads: number;
  headDim: number;
  /** d: only the first d rows of each head's window move. Default headDim - rotaryOffset. */
  rotaryDim?: number | undefined;
  /** Default 0. */
  rotaryOffset?: number | undefined;
}

function placeOf(fn: string, name: string, pairing: Pairing): number {
  const place = PAIRINGS.indexOf(pairing);
  if (place >= 0) return place;
  throw refusal("range", fn, name, pairing, '"interleaved" or "half"');
}

export function convertPairing<T extends Float32Array | Uint16Array>(
  core: Core<NativeAnalysis>,
  weight: T,
  options: PairingConversion,
): T {
  const fn = "convertPairing";
  const kind = kindOf(weight);
  if (kind !== "Float32Array" && kind !== "Uint16Array") {
    throw refusal("type", fn, "weight", weight, "a Float32Array, or a Uint16Array of 16-bit patterns");
  }
  const names = ["from", "to", "heads", "headDim", "rotaryDim", "rotaryOffset"];
  const { from, to, heads, headDim, rotaryDim, rotaryOffset = 0 } = optionsObject(fn, "options", options, names);
  const code = [placeOf(fn, "from", from), placeOf(fn, "to", to)] as const;
  const sizes = [
    wholeNumber(fn, "heads", heads),
    wholeNumber(fn, "headDim", headDim),
    rotaryDim === undefined ? -1 : wholeNumber(fn, "rotaryDim", rotaryDim),
    wholeNumber(fn, "rotaryOffset", rotaryOffset),
  ] as const;
  const source = new Source(core.native.wasmMemory, weight);
  const byteLength = source.length * source.bytesPerElement;
  const scratch = new Scratch(core, fn);
  try {
    const address = scratch.elements("weight", source);
    // Rows are only moved: one 16-bit type is as good as the other.
    const dtype = DTYPES.indexOf(kind === "Float32Array" ? "float32" : "float16");
    if (core.native._ropewalk_convert_pairing(address, source.length, dtype, ...code, ...sizes) !== 0)
      throw core.failure();
    const converted = core.bytes(address, byteLength).slice().buffer;
    return (kind === "Float32Array" ? new Float32Array(converted) : new Uint16Array(converted)) as T;
  } finally {
    scratch.free();
  }
}
