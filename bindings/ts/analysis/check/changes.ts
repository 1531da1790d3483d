/** The key that makes a reader differ, and what to change, so far as the file can do anything about it. */
import { type Json, longestOf, type Model, mapsLayerTypes, optionalNumber, ruleNameOf } from "./model.js";
import { filled } from "./readers/class.js";
import { nameOf, ruleOf, without } from "./readers/rewritten.js";
import type { Reader, RopeOutlier } from "./report.js";

type Change = Pick<RopeOutlier, "key" | "change" | "paste">;

const json = (value: unknown) =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, " ")
    .replace(/([{[]) | ([}\]])/g, "$1$2");

/** The spelling of Transformers 4 of `rope_parameters`. */
function atTheTop(parameters: Json): string | undefined {
  const { rope_theta: base } = parameters;
  const rest = without(parameters, "rope_theta");
  const scaling = nameOf(rest) === "default" ? "" : `"rope_scaling": ${json(rest)}`;
  const parts = [base === undefined ? "" : `"rope_theta": ${base}`, scaling].filter(Boolean);
  const { full_attention: full, sliding_attention: sliding } = parameters as Record<string, Json | undefined>;
  if (full && sliding) {
    const rule = without(full, "rope_theta");
    const more = nameOf(rule) === "default" ? "" : `, "rope_scaling": ${json(rule)}`;
    return `"rope_theta": ${full.rope_theta}, "rope_local_base_freq": ${sliding.rope_theta}${more}`;
  }
  return parts.length === 0 ? undefined : parts.join(", ");
}

export function changeOf(model: Model, reader: Reader, other: Reader): Change {
  const { config, modelType, sheet } = model;
  const { rope_scaling: scaling, rope_parameters: parameters } = config;
  const rule = ruleOf(model);
  const name = nameOf(rule) === "su" ? "longrope" : nameOf(rule);
  const at = filled(scaling) ? "rope_scaling" : "rope_parameters";
  const none = (key: string, why: string): Change => ({ key, change: `none in the file: ${why}` });
  const theirs =
    reader === "mlx-lm"
      ? "mlx-lm does not read `rope_parameters` for this family"
      : "Transformers 4 does not read `rope_parameters`";
  if (typeof rule.type === "string" && typeof rule.rope_type === "string" && rule.type !== rule.rope_type)
    return { key: `${at}.type`, change: "leave it out: readers differ in which of `type` and `rope_type` counts" };
  if (ruleNameOf(rule) === null && rule.factor !== undefined)
    return { key: `${at}.rope_type`, change: "write the name of the rule: without it most readers scale nothing" };
  if (modelType === "nomic_bert") return none("rotary_scaling_factor", "this reader reads none of Nomic's own keys");
  if (name === "longrope" && (reader === "vllm" || reader === "mlx-lm" || reader === "llama.cpp")) {
    const original =
      optionalNumber(rule, "original_max_position_embeddings") ??
      optionalNumber(config, "original_max_position_embeddings") ??
      sheet.of(modelType)?.original ??
      longestOf(config);
    const key = `${at}.short_factor`;
    if (reader === "mlx-lm" && !(filled(parameters) && !filled(scaling)))
      return none(key, "mlx-lm has one list, the long one, for every length");
    if (reader === "vllm") return { key, change: `start it with --max-model-len ${original} for the short factors` };
    if (reader === "llama.cpp") return { key, change: `start it with a context of ${original} for the short factors` };
  }
  if ((reader === "transformers-4" || reader === "mlx-lm") && filled(parameters) && !filled(scaling)) {
    const paste = atTheTop(parameters);
    const change = `write \`rope_theta\` (and \`rope_scaling\`) at the top level as well: ${theirs}`;
    return { key: "rope_parameters", change, ...(paste && { paste }) };
  }
  if (reader === "llama.cpp" && "rope_parameters" in config && scaling && filled(scaling))
    return {
      key: "rope_parameters",
      change: "leave it out: llama.cpp's converter takes it in the place of `rope_scaling`, even where it is null",
    };
  if (reader === "onnxruntime-genai") {
    if (modelType === "gemma3_text")
      return none("rope_scaling.factor", "its builder divides the sliding layers by the factor of the full ones too");
    if (name === "yarn" && rule.beta_fast === undefined)
      return {
        key: at,
        change:
          "write both betas into it: its builder applies YaRN only where `beta_fast` stands there, for Llama classes not even then",
        paste: '"beta_fast": 32, "beta_slow": 1',
      };
    if (name === "yarn")
      return none(`${at}.truncate`, "its builder never rounds the bounds of YaRN's ramp, as if `truncate` were false");
    return none(at, "its builder tells rules by their members, and has none for this one");
  }
  if (reader === "sglang" && name === "dynamic")
    return {
      key: `${at}.factor`,
      change: "without it SGLang rotates plainly; with it, it raises the base from the first token on",
      paste: `"${at}": null`,
    };
  if (reader === "sglang" || (reader === "mlx-lm" && rule.attention_factor !== undefined))
    return none(`${at}.attention_factor`, `${reader} does not read it for YaRN`);
  if (name === "yarn" || name === "telechat3-yarn") {
    const unread = reader === "llama.cpp" ? ["truncate", "attention_factor", "beta_fast", "beta_slow"] : ["truncate"];
    const key = unread.find((each) => rule[each] !== undefined);
    if (key !== undefined && (reader === "mlx-lm" || reader === "llama.cpp"))
      return none(
        `${at}.${key}`,
        key === "truncate"
          ? "this reader does not know `truncate` and rounds the ramp's bounds"
          : `${reader} does not use \`${key}\``,
      );
    if (reader === "mlx-lm")
      return none(
        `${at}.rope_type`,
        "mlx-lm's YaRN has the attention scaling 0.1 ln(factor) + 1 whatever the file says",
      );
  }
  if (name === "llama3" && rule.original_max_position_embeddings === undefined)
    return {
      key: `${at}.original_max_position_embeddings`,
      change: "write the length that the model was trained with: each reader puts another in its place",
    };
  if (reader === "llama.cpp" && /^(phi|gpt_neox)$/.test(modelType))
    return none("rotary_emb_base", "llama.cpp's converter writes no base for this family, and 10000 is read");
  if (reader === "llama.cpp" && name !== "default")
    return none(`${at}.rope_type`, `llama.cpp's converter has no rule ${name} for this family`);
  if (filled(parameters) && filled(scaling))
    return { key: "rope_parameters", change: "leave one of `rope_scaling` and `rope_parameters` out" };
  if (rule.rope_theta !== undefined && config.rope_theta === undefined && filled(scaling))
    return {
      key: "rope_theta",
      change: `write it at the top level: ${reader} does not read it in \`rope_scaling\``,
      paste: `"rope_theta": ${rule.rope_theta}`,
    };
  if (
    typeof rule.rope_theta === "number" &&
    typeof config.rope_theta === "number" &&
    rule.rope_theta !== config.rope_theta
  )
    return {
      key: "rope_theta",
      change: `it is ${config.rope_theta} at the top level and ${rule.rope_theta} in \`${at}\`; leave the wrong one out`,
    };
  if (mapsLayerTypes(filled(scaling) ? scaling : parameters))
    return {
      key: at,
      change:
        "write the members of the rule straight into it: most readers have one rule for all layers of this family",
    };
  return { change: `compare its reading with that of ${other}` };
}
