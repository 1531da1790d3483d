/** Options of sampling, as the module takes them. C++ knows their ranges. */
import type { Core } from "../../module/core.js";
import type { NativeDecoding } from "../../module/native.js";
import { Scratch } from "../../module/scratch.js";
import { refuse } from "../refuse.js";
import { place } from "./arguments.js";
import type { Sampling } from "./surface.js";

/** How many numbers bindings/embind/decoder.cpp reads; the last is how many tokens were drawn. */
const COUNT = 8;

/** The block of numbers, whose last one the caller sets for each token. */
export type SamplingBlock = Float64Array;

function number(fn: string, name: string, value: unknown): number {
  if (typeof value === "number") return value;
  throw refuse.type(fn, name, value, "a number");
}

function seedOf(fn: string, seed: number): number {
  if (Number.isSafeInteger(number(fn, "seed", seed)) && seed >= 0) return seed;
  throw refuse.range(fn, "seed", seed, "a whole number from 0 to 2^53 - 1");
}

/** @throws RangeError or TypeError that names the option. */
export function readSampling(fn: string, core: Core<NativeDecoding>, options: Sampling): SamplingBlock {
  const { temperature = 0, topK = 0, topP = 1, minP = 0 } = options;
  const { repetitionPenalty = 1, repetitionWindow = 64, seed = 0 } = options;
  const block = Float64Array.of(
    number(fn, "temperature", temperature),
    place(fn, "topK", topK),
    number(fn, "topP", topP),
    number(fn, "minP", minP),
    number(fn, "repetitionPenalty", repetitionPenalty),
    place(fn, "repetitionWindow", repetitionWindow),
    seedOf(fn, seed),
    0,
  );
  withBlock(fn, core, block, (address) => core.native.checkSampling(address));
  return block;
}

/** Calls with the block in the module's memory; a status that is not 0 is an error. */
export function withBlock(fn: string, core: Core, block: SamplingBlock, call: (address: number) => number): void {
  const scratch = new Scratch(core, fn);
  try {
    if (call(scratch.float64("options", block)) !== 0) throw core.failure();
  } finally {
    scratch.free();
  }
}

export const setDrawn = (block: SamplingBlock, drawn: number): void => {
  block[COUNT - 1] = drawn;
};
