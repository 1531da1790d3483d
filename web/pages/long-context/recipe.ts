import type { TaskName } from "ropewalk";
import { configOf, optimizerOf } from "../../training/recipe.js";

/** The rules that a trained model is tested under, in the order of their lines. */
export const tested = ["default", "linear", "ntk", "yarn", "dynamic"] as const;
export type TestedRule = (typeof tested)[number];

/** Lengths of a test, in lengths of training. */
export const factors: readonly number[] = [1, 2, 4, 8];

/** Sequences of a test. */
export const ROWS = 64;
/** Steps between two looks at the training; a cancel waits no longer. */
export const CHUNK = 25;

export interface Settings {
  readonly task: TaskName;
  readonly length: number;
  readonly steps: number;
  /** The first of them. */
  readonly seed: number;
  readonly seeds: number;
}

/** YaRN's beta_fast and beta_slow, in turns within the trained length. */
export interface Betas {
  readonly fast: number;
  readonly slow: number;
}
export const usualBetas: Betas = { fast: 32, slow: 1 };

export interface Tested {
  readonly seed: number;
  readonly rule: TestedRule;
  readonly factor: number;
  readonly accuracy: number;
  readonly loss: number;
}

/** Needle's distance is short enough to be learnt in so few steps; the other tasks have their own. */
export const distanceOf = (task: TaskName) => (task === "needle" ? 8 : 0);

export function trainingOf({ length, steps }: Pick<Settings, "length" | "steps">) {
  const race = { size: "small", sequence: length, steps, rate: 0.004 } as const;
  const { vocab_size: _, ...config } = configOf("rope", race, 0);
  return { config: { ...config, max_position_embeddings: length }, optimizer: optimizerOf(race) };
}

/**
 * The keys that a test adds to the config.json of the training, as published long-context models have them. Dynamic NTK
 * follows the length of the sequence by itself and multiplies that by its factor, so its factor here is 1.
 */
export function scalingOf(
  rule: TestedRule,
  factor: number,
  length: number,
  { fast, slow }: Betas,
): Readonly<Record<string, object>> {
  if (rule === "default") return {};
  const original = rule === "yarn" && {
    original_max_position_embeddings: length,
    ...((fast !== usualBetas.fast || slow !== usualBetas.slow) && { beta_fast: fast, beta_slow: slow }),
  };
  return { rope_scaling: { rope_type: rule, factor: rule === "dynamic" ? 1 : factor, ...original } };
}
