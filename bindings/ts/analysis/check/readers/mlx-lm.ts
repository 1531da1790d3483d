/** mlx-lm: keys at the top, of each model file its own; its rules are those of models/rope_utils.py. */
import { isObject, type Json } from "../model.js";
import type { ReaderData } from "../reader.js";
import { Absence, Refusal } from "../rules.js";
import { filled } from "./class.js";
import { asTransformers5, nameOf, names, OWN_CODE, without } from "./rewritten.js";
import { transformers5 } from "./transformers-5.js";

/** Families that read `rope_scaling`, and those that never scale. */
const SCALED =
  "afmoe apertus bitnet deepseek_v2 deepseek_v3 deepseek_v32 dots1 exaone exaone4 exaone_moe falcon_h1 gemma3_text gemma4_text glm4_moe_lite glm_moe_dsa gpt_oss granite granitemoe hunyuan_v1_dense internlm2 internlm3 laguna llama llama4_text longcat_flash mellum mimo minicpm minicpm3 ministral3 mistral4 nemotron nemotron-nas olmo2 olmo3 olmoe phi3 phimoe qwen2 qwen3 qwen3_next seed_oss smollm3 step3p5 telechat3";
const PLAIN =
  "cohere cohere2 dbrx ernie4_5 ernie4_5_moe gemma gemma2 gemma3n_text glm glm4 glm4_moe gpt_neox gptj granitemoehybrid helium lfm2 lfm2_moe mixtral nanochat olmo phi qwen2_moe qwen2_vl_text qwen3_5_text qwen3_moe qwen3_vl_text qwen3_vl_moe_text recurrent_gemma stablelm starcoder2";
/** Those that read `rope_parameters`. */
const PARAMETERS =
  "exaone_moe gemma4_text glm_moe_dsa granitemoehybrid laguna lfm2 lfm2_moe mellum ministral3 mistral4 qwen3 qwen3_5_text";
const REQUIRED =
  "apertus dots1 ernie4_5 ernie4_5_moe exaone exaone4 gemma3n_text glm4 glm4_moe granite granitemoe helium llama4_text longcat_flash olmo3 qwen3 qwen3_moe qwen3_next recurrent_gemma stablelm telechat3";
const BASES: Readonly<Record<string, number>> = {
  cohere: 8e6,
  cohere2: 5e4,
  lfm2: 1e6,
  lfm2_moe: 1e6,
  minicpm: 1e6,
  mixtral: 1e6,
  phi: 1e4,
  qwen2: 1e6,
  qwen2_moe: 1e6,
  smollm3: 1e4,
  starcoder2: 1e5,
};
const SAME: Readonly<Record<string, string>> = {
  falcon_mamba: "mamba",
  kimi_k2: "deepseek_v3",
  kimi_k25: "deepseek_v3",
  mistral: "llama",
  xverse: "llama",
};
/** Model files that check the members of the dictionary, under the old name of the rule. */
const CHECKED: Readonly<Record<string, readonly string[]>> = {
  internlm2: ["factor", "type"],
  phi3: ["long_factor", "type"],
};

function scaled(rule: Json, modelType: string): Json {
  const keys = CHECKED[modelType] ?? [];
  if (keys.some((key) => rule[key] === undefined))
    throw new Refusal(`ValueError: rope_scaling must contain keys {'${keys.join("', '")}'}`);
  const name = typeof rule.type === "string" ? rule.type : nameOf(rule);
  const others = without(rule, "type", "truncate", "attention_factor");
  if (name === "llama3") return { original_max_position_embeddings: 8192, ...others, rope_type: name };
  if (/^(deepseek_|telechat3-)?yarn$/.test(name))
    return { original_max_position_embeddings: 4096, ...others, rope_type: "yarn" };
  if (name === "dynamic" && modelType === "internlm2") return { rope_type: "default" };
  if (name === "dynamic" && rule.alpha !== undefined) return rule;
  if (name === "su") return { ...others, rope_type: "longrope" };
  if (names("default linear longrope mrope proportional", name)) return { ...others, rope_type: name };
  throw new Refusal(`ValueError: Unsupported RoPE type ${name}`);
}

function pythonType(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return typeof value === "string"
    ? "str"
    : typeof value === "boolean"
      ? "bool"
      : Number.isInteger(value)
        ? "int"
        : "float";
}

export const mlxLm: ReaderData = {
  source: "mlx-lm 0.32.2, models/rope_utils.py (emulated)",
  layerTypes: transformers5.layerTypes,
  read(model) {
    const { config, layerType } = model;
    if (model.modelType === "") throw new Absence("KeyError: 'model_type'");
    const type = SAME[model.modelType] ?? model.modelType;
    if (model.gguf || !names(`${SCALED} ${PLAIN}`, type))
      throw new Absence(`ValueError: Model type ${model.modelType} not supported.`);
    const { rope_parameters: parameters, rope_scaling: scaling } = config;
    const reads = names(PARAMETERS, type) && filled(parameters);
    const notes = filled(parameters) && !reads ? ["rope_parameters is not read"] : [];
    const nested =
      reads && layerType !== undefined && filled(parameters[layerType]) ? parameters[layerType] : undefined;
    const inner: Json = nested ?? (reads ? parameters : {});
    const given = filled(scaling) ? scaling : reads ? inner : undefined;
    const rule = given === undefined || names(PLAIN, type) ? undefined : scaled(given, type);
    const base =
      (type === "qwen3" ? (config.rope_theta ?? inner.rope_theta) : (inner.rope_theta ?? config.rope_theta)) ??
      BASES[type];
    if (base === undefined && names(REQUIRED, type)) {
      throw new Refusal("TypeError: ModelArgs.__init__() missing 1 required positional argument: 'rope_theta'");
    }
    if (scaling !== undefined && scaling !== null && !isObject(scaling))
      throw new Refusal(`AttributeError: '${pythonType(scaling)}' object has no attribute 'get'`);
    if (rule === undefined && filled(scaling)) notes.push("rope_scaling is not read");
    const own = without(config, "rope_scaling", "rope_parameters", "rope_theta");
    const keys = { ...own, ...(base === undefined ? {} : { rope_theta: base }) };
    if (given?.truncate === false) notes.push("truncate is not read: the bounds of YaRN's ramp are always rounded");
    if (given && given.attention_factor != null) notes.push("attention_factor is not read");
    const long = rule && nameOf(rule) === "longrope";
    if (long) notes.push("the long factors for every length");
    const changed = nested
      ? { ...own, rope_parameters: { ...(parameters as Json), [layerType!]: { ...rule, rope_theta: base } } }
      : { ...keys, ...(rule && { rope_scaling: without(rule, "rope_theta") }) };
    const modelType = OWN_CODE[type] ?? type;
    const context = long ? Number.MAX_SAFE_INTEGER : model.context;
    return asTransformers5(model, { modelType, config: changed, context }, notes);
  },
};
