import type { RuleName } from "./log.js";

type Json = Readonly<Record<string, unknown>>;

/** Facts about a model that rules need, from config.json or from the metadata of a GGUF file. */
export interface RopeFacts {
  readonly base: number;
  readonly headDim: number;
  /** `max_position_embeddings`; 0: not given. */
  readonly trained: number;
  /** Pairs of a head. */
  readonly pairs: number;
  readonly keyHeads: number;
}

export function ropeFacts(config: Json): RopeFacts {
  const own = String(config["general.architecture"] ?? "");
  const parameters = (config.rope_parameters ?? {}) as Json;
  const number = (...values: unknown[]) => values.find((value): value is number => typeof value === "number");
  const hidden = number(config.hidden_size, config[`${own}.embedding_length`]) ?? 0;
  const heads = number(config.num_attention_heads, config[`${own}.attention.head_count`]) ?? 1;
  const headDim = number(config.head_dim, config[`${own}.attention.key_length`]) ?? hidden / heads;
  const share = number(parameters.partial_rotary_factor, config.partial_rotary_factor, config.rotary_pct) ?? 1;
  return {
    base: number(parameters.rope_theta, config.rope_theta, config[`${own}.rope.freq_base`]) ?? 10000,
    headDim,
    pairs: (number(config[`${own}.rope.dimension_count`]) ?? headDim * share) / 2,
    keyHeads: number(config.num_key_value_heads, config[`${own}.attention.head_count_kv`]) ?? heads,
    trained: number(config.max_position_embeddings, config[`${own}.context_length`]) ?? 0,
  };
}

/** A rule as config.json writes it. */
export function ropeParameters(
  rule: RuleName,
  factor: number,
  { base, headDim, trained }: Pick<RopeFacts, "base" | "headDim" | "trained">,
): object {
  if (rule === "linear") return { rope_type: "linear", factor };
  if (rule === "yarn")
    return { rope_type: "yarn", factor, ...(trained > 0 && { original_max_position_embeddings: trained }) };
  // NTK-aware: a larger base, so that the slowest pair slows down by the factor (bloc97, 2023).
  if (rule === "ntk") return { rope_type: "default", rope_theta: base * factor ** (headDim / (headDim - 2)) };
  return { rope_type: "default", rope_theta: base };
}

export const ruleNames: Readonly<Record<RuleName, string>> = {
  default: "no scaling",
  linear: "position interpolation",
  ntk: "NTK-aware",
  yarn: "YaRN",
};
