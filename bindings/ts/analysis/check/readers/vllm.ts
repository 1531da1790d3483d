/** vLLM: the configuration is Transformers', the rotation its own (model_executor/layers/rotary_embedding). */
import { type Json, optionalNumber } from "../model.js";
import type { ReaderData } from "../reader.js";
import { Absence } from "../rules.js";
import { asTransformers5, nameOf, OWN_CODE, rewritten, ruleOf, without } from "./rewritten.js";
import { transformers5 } from "./transformers-5.js";

/** TeleChat's YaRN scales attention by 0.07 ln(factor) + 1. */
const telechat = (rule: Json): Json => ({
  ...without(rule, "type"),
  rope_type: "yarn",
  attention_factor: 1 + 0.07 * Math.log(optionalNumber(rule, "factor") ?? 1),
});

export const vllm: ReaderData = {
  source: "vllm 0.33.0, model_executor/layers/rotary_embedding (emulated)",
  layerTypes: transformers5.layerTypes,
  read(model) {
    if (model.gguf) throw new Absence("GGUF metadata is read by llama.cpp");
    const modelType = OWN_CODE[model.modelType] ?? model.modelType;
    const rule = ruleOf(model);
    const name = nameOf(rule);
    if (name === "telechat3-yarn")
      return asTransformers5(model, { modelType, config: rewritten(model.config, telechat) });
    if (name === "dynamic" && rule.alpha === undefined) {
      const config = rewritten(model.config, (each) => ({ ...without(each, "type"), rope_type: "default" }));
      return asTransformers5(model, { modelType, config }, [
        "dynamic raises no base: its formula takes factor out again, for every length",
      ]);
    }
    const once = name === "longrope" || name === "su";
    return asTransformers5(
      model,
      { modelType },
      once ? ["one list of factors for every length, by max_model_len"] : [],
    );
  },
};
