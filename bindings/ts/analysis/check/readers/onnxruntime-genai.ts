/** onnxruntime-genai: the rule that its model builder tells by the members of the dictionary, whatever its name. */
import { type Json, type Model, optionalNumber } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Absence, Refusal } from "../rules.js";
import { filled } from "./class.js";
import { asTransformers5, nameOf, names, rewritten, ruleOf, without } from "./rewritten.js";
import { transformers4 } from "./transformers-4.js";
import { transformers5 } from "./transformers-5.js";

const FAMILIES =
  "chatglm ernie4_5 gemma gemma2 gemma3_text gpt_oss granite hunyuan_v1_dense internlm2 lfm2 llama ministral3 mistral nemotron olmo phi phi3 phimoe qwen2 qwen2_5_vl_text qwen3 qwen3_vl_text smollm3";

const ruled = (rule: Json, name: string): Json => ({ ...without(rule, "type"), rope_type: name });

function yarn(rule: Json, modelType: string): Json {
  const [fast, slow] = [optionalNumber(rule, "beta_fast") ?? 0, optionalNumber(rule, "beta_slow") ?? 0];
  if (fast <= slow) throw new Refusal("AssertionError: beta_fast is not greater than beta_slow");
  const kept = modelType === "ministral3" ? rule : without(rule, "attention_factor", "mscale", "mscale_all_dim");
  return { ...ruled(kept, "yarn"), truncate: false };
}

function byMembers(rule: Json, modelType: string): Json {
  const name = nameOf(rule);
  if (rule.short_factor !== undefined) return ruled(rule, "longrope");
  if (rule.low_freq_factor !== undefined) return ruled(rule, "llama3");
  if (rule.beta_fast !== undefined && !names("llama mistral hunyuan_v1_dense", modelType)) return yarn(rule, modelType);
  if (name === "linear" || (name === "dynamic" && rule.alpha !== undefined)) return rule;
  return ruled(rule, "default");
}

/** Built with Transformers 4: the builder asks for an attribute that 5 took away. One factor divides both caches. */
function gemma3(model: Model): Read {
  const { config, layerType } = model;
  if (filled(config.rope_parameters) && config.rope_local_base_freq === undefined)
    throw new Refusal("AttributeError: 'Gemma3TextConfig' object has no attribute 'rope_local_base_freq'");
  const read = transformers4.read(model);
  const scaling = config.rope_scaling;
  const factor = filled(scaling) && nameOf(scaling) === "linear" ? optionalNumber(scaling, "factor") : undefined;
  if (layerType !== "sliding_attention" || factor === undefined) return { ...read, notes: [] };
  const frequencies = read.frequencies.map((theta) => theta / factor);
  const notes = ["the factor of the full layers divides the sliding ones as well"];
  return { ...read, rule: "linear", frequencies, options: { factor }, notes };
}

export const onnxruntimeGenai: ReaderData = {
  source: "onnxruntime-genai of 2026-08-22, models/builders/base.py (emulated)",
  layerTypes: transformers5.layerTypes,
  read(model) {
    const { config, modelType } = model;
    if (modelType === "") throw new Absence("ValueError: Unrecognized model. Should have a `model_type` key");
    if (model.gguf || !names(FAMILIES, modelType))
      throw new Absence(`NotImplementedError: The ${modelType} model is not currently supported.`);
    if (modelType === "gemma3_text") return gemma3(model);
    const rule = ruleOf(model);
    const taken = nameOf(byMembers(rule, modelType));
    const name = nameOf(rule) === "su" ? "longrope" : nameOf(rule);
    const notes = [];
    if (name === "yarn" && taken === "default")
      notes.push("YaRN is applied only where beta_fast stands in the dictionary");
    if (taken === "yarn") notes.push("the bounds of YaRN's ramp are never rounded");
    return asTransformers5(model, { config: rewritten(config, (each) => byMembers(each, modelType)) }, notes);
  },
};
