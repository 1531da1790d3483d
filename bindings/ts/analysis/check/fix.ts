/** A configuration that all readers read alike: the same rotation spelled in every way that some reader looks for. */
import type { Json } from "./model.js";
import { isObject } from "./model.js";

/** Keys that spell a rope; a fix writes them anew. */
const SPELLINGS = ["rope_scaling", "rope_parameters", "rope_theta"];

function without(config: Json, ...keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !keys.includes(key)));
}

/** The dictionary that the configuration itself uses, with both names of the rule. */
function ruleOf(config: Json): Record<string, unknown> {
  const given = [config.rope_parameters, config.rope_scaling].find(
    (each) => isObject(each) && Object.keys(each).length > 0,
  );
  const rule = isObject(given) ? without(given, "rope_theta") : {};
  const name = rule.rope_type ?? rule.type ?? "default";
  return { ...rule, rope_type: name };
}

/** Candidates, the plainest first. The caller keeps the first that every reader takes for the same rotation. */
export function candidateFixes(config: Json, base: number, original: number | undefined): object[] {
  const rest = without(config, ...SPELLINGS);
  const rule = ruleOf(config);
  const { partial_rotary_factor: fraction, ...others } = rule;
  const named = rule.rope_type === "default" ? null : others;
  const complete =
    rule.rope_type === "yarn" && rule.original_max_position_embeddings == null && original !== undefined
      ? { ...others, original_max_position_embeddings: original }
      : named;
  const top = fraction === undefined ? {} : { partial_rotary_factor: fraction };
  const parameters = { ...(complete ?? { rope_type: "default" }), ...top, rope_theta: base };
  const scaling = complete === null ? null : { ...complete, ...top, rope_theta: base };
  // GTE's own code looks for `type` alone.
  const typed = (each: object | null) => (each === null ? null : { ...each, type: rule.rope_type });
  const flat = [
    { ...rest, ...top, rope_theta: base, rope_scaling: scaling, rope_parameters: parameters },
    { ...rest, ...top, rope_theta: base, rope_scaling: typed(complete) },
  ];
  const byLayer = config.rope_parameters;
  const full = isObject(byLayer) && isObject(byLayer.full_attention) ? byLayer.full_attention : undefined;
  const sliding = isObject(byLayer) && isObject(byLayer.sliding_attention) ? byLayer.sliding_attention : undefined;
  if (full === undefined || sliding === undefined) return [config, ...flat];
  const { rope_theta: fullBase, ...fullRule } = full;
  const plain = (fullRule.rope_type ?? "default") === "default";
  const kept = without(config, "rope_parameters");
  return [
    config,
    { ...kept, rope_theta: fullBase, rope_local_base_freq: sliding.rope_theta, rope_scaling: plain ? null : fullRule },
    { ...kept, global_rope_theta: fullBase, local_rope_theta: sliding.rope_theta },
  ];
}
