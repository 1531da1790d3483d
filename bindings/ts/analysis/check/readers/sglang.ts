/** SGLang: the configuration is Transformers', the rotation its own (srt/layers/rotary_embedding). */
import { longestOf, optionalNumber } from "../model.js";
import type { ReaderData } from "../reader.js";
import { Absence, Refusal } from "../rules.js";
import { asTransformers5, nameOf, names, OWN_CODE, rewritten, ruleOf, without } from "./rewritten.js";
import { transformers5 } from "./transformers-5.js";

/** Families with a model file; any other would be served by Transformers. */
const FAMILIES =
  "afmoe apertus arcee cohere cohere2 cohere2_moe dbrx deepseek_v2 deepseek_v3 deepseek_v32 ernie4_5 ernie4_5_moe exaone4 exaone_moe falcon_h1 gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text gemma4 gemma4_text glm4 glm4_moe glm4_moe_lite glm_moe_dsa gptj gpt_oss granite granitemoe granitemoehybrid hunyuan_v1_dense hunyuan_v1_moe lfm2 lfm2_moe llama llama4 llama4_text longcat_flash mellum mimo minicpm minicpm3 minimax_m2 ministral3 mistral mixtral olmo olmo2 olmo3 olmoe persimmon phi phi3 phimoe qwen2 qwen2_5_vl_text qwen2_moe qwen2_vl_text qwen3 qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next qwen3_vl_moe_text qwen3_vl_text stablelm starcoder2 step3p5 zaya";
/** Families of OWN_CODE among them. */
const OWN = "exaone internlm2 kimi_k2";

export const sglang: ReaderData = {
  source: "sglang 0.5.23, srt/layers/rotary_embedding (emulated)",
  layerTypes: transformers5.layerTypes,
  read(model) {
    const modelType = OWN_CODE[model.modelType] ?? model.modelType;
    if (model.gguf || !names(`${FAMILIES} ${OWN}`, model.modelType))
      throw new Absence("no model file for this architecture");
    // Its class hands a dictionary for each type of layers to a function that hashes its members.
    if (modelType === "olmo3") throw new Refusal("TypeError: unhashable type: 'dict'");
    const rule = ruleOf(model);
    const name = nameOf(rule);
    const longest = longestOf(model.config);
    if (name === "dynamic" && rule.alpha === undefined && longest !== undefined) {
      const context = (optionalNumber(rule, "factor") ?? 1) * longest;
      return asTransformers5(model, { modelType, context }, [
        "dynamic raises the base for factor times the context, from the first token on",
      ]);
    }
    if (name !== "yarn" || rule.attention_factor == null) return asTransformers5(model, { modelType });
    const config = rewritten(model.config, (each) => without(each, "attention_factor"));
    return asTransformers5(model, { modelType, config }, ["attention_factor of YaRN is not read"]);
  },
};
