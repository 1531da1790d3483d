import type { RopeOptions } from "ropewalk";
import { FACTOR, TRAINED } from "./draw/long.js";
import type { Repair } from "./state.js";

/** 32 strands, as in the models of this site and most others. */
export const STRANDS = { headDim: 64 } as const satisfies RopeOptions;
/** The slow strand of scenes 3 and 4: it turns by 0.1 radian per position. */
export const SLOW = 8;
/** The strand that scene 7 draws. */
export const CUT_STRAND = 4;

const base = 500000;
/** A head of Llama 3.1, before its rule. */
export const LLAMA = { headDim: 128, frequencies: { type: "default", base } } as const satisfies RopeOptions;

/** Frequencies for the drawing, which does not wait for the library: story.spec.ts compares them. */
const falling = (count: number, from: number) => Array.from({ length: count }, (_, j) => from ** (-j / count));
export const strandThetas = falling(STRANDS.headDim / 2, 10000);
export const llamaThetas = falling(LLAMA.headDim / 2, base);

export const repairs: Readonly<Record<Repair, RopeOptions>> = {
  none: LLAMA,
  all: { headDim: 128, frequencies: { type: "linear", base, factor: FACTOR } },
  slow: {
    headDim: 128,
    frequencies: {
      type: "llama3",
      base,
      factor: FACTOR,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalMaxPositions: TRAINED,
    },
  },
  yarn: { headDim: 128, frequencies: { type: "yarn", base, factor: FACTOR, originalMaxPositions: TRAINED } },
};
