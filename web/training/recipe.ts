import type { PositionEncoding } from "ropewalk";
import { type sizes, smallModel, smallOptimizer } from "./small-model.mjs";

/** The settings that decide a race; everything else follows from them. */
export interface RaceSettings {
  readonly size: keyof typeof sizes;
  readonly sequence: number;
  readonly steps: number;
  readonly rate: number;
}

export { BATCH, sizes, VALIDATION } from "./small-model.mjs";

/** Evaluations of a whole race. */
const CHECKS = 40;

export const checkEvery = (steps: number) => Math.max(5, Math.round(steps / CHECKS / 5) * 5);

/** config.json of a contestant. */
export function configOf(encoding: PositionEncoding, { size, sequence }: RaceSettings, vocabulary: number) {
  return {
    architectures: ["RoFormerForMaskedLM"],
    position_encoding: encoding,
    vocab_size: vocabulary,
    ...smallModel(size),
    // Twice the length of training, for the test; the rows beyond are never trained.
    max_position_embeddings: 2 * sequence,
  };
}

export function optimizerOf({ rate, steps }: RaceSettings) {
  return {
    learningRate: rate,
    ...smallOptimizer,
    warmupSteps: Math.min(smallOptimizer.warmupSteps, steps),
    totalSteps: steps,
  };
}
