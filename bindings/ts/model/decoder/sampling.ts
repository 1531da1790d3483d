/** Options of sampling, as the module takes them. C++ knows their ranges. */
import type { Core } from "../../module/core.js";
import type { NativeDecoding } from "../../module/native.js";
import { SAMPLING_BLOCK } from "../../module/numbers.js";
import { Scratch } from "../../module/scratch.js";
import { refuse } from "../refuse.js";
import { place } from "./arguments.js";
import type { Sampling } from "./surface.js";

/** `drawn` is for the caller to set, for each token. */
export type SamplingBlock = Record<(typeof SAMPLING_BLOCK)[number], number>;

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
  const block = {
    temperature: number(fn, "temperature", temperature),
    topK: place(fn, "topK", topK),
    topP: number(fn, "topP", topP),
    minP: number(fn, "minP", minP),
    repetitionPenalty: number(fn, "repetitionPenalty", repetitionPenalty),
    repetitionWindow: place(fn, "repetitionWindow", repetitionWindow),
    seed: seedOf(fn, seed),
    drawn: 0,
  };
  withBlock(fn, core, block, (address) => core.native.checkSampling(address));
  return block;
}

/** Calls with the block in the module's memory; a status that is not 0 is an error. */
export function withBlock(fn: string, core: Core, block: SamplingBlock, call: (address: number) => number): void {
  const scratch = new Scratch(core, fn);
  try {
    if (call(scratch.block(SAMPLING_BLOCK, block)) !== 0) throw core.failure();
  } finally {
    scratch.free();
  }
}
