/** The length that a file is compared at, and what says so. */
import type { Facts } from "./facts.js";
import { isObject, type Json } from "./model.js";

export interface Length {
  tokens: number;
  from: string;
}

const positive = (value: unknown): value is number => typeof value === "number" && value >= 1 && Number.isFinite(value);

/** The first key that names it; else the original length times the factor; else what the class has. */
export function lengthOf(config: Json, modelType: string, facts: Facts | undefined, given: number | undefined): Length {
  const own = ownLength(config, modelType, facts);
  return given === undefined || given === own.tokens ? own : { tokens: given, from: "as asked" };
}

function ownLength(config: Json, modelType: string, facts: Facts | undefined): Length {
  for (const from of ["max_position_embeddings", "n_positions", "seq_length", `${modelType}.context_length`])
    if (positive(config[from])) return { tokens: Math.round(config[from]), from: from };
  for (const rule of [config.rope_scaling, config.rope_parameters]) {
    if (!isObject(rule)) continue;
    const { factor, original_max_position_embeddings: original } = rule;
    if (positive(factor) && positive(original))
      return { tokens: Math.round(factor * original), from: "factor * original_max_position_embeddings" };
  }
  const positions = facts?.positions;
  if (positions !== undefined) return { tokens: positions, from: `the default of ${modelType}` };
  return { tokens: 8192, from: "no key says it" };
}
