/** Code that asks a configuration of Transformers 5 for `rope_theta`, which has moved: it gets its own default. */
import { defaultsOf } from "../families.js";
import type { Model } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { plain, Refusal } from "../rules.js";
import { baseOf, layerTypesOf, rotaryDimension, stillLayers } from "./transformers.js";

/** GTE's own configuration class sets `rope_theta` itself. */
const setsItself = (model: Model) => model.modelType === "new" || model.modelType === "gte";

function read(model: Model): Read {
  if (model.gguf) throw new Refusal("GGUF metadata is read by llama.cpp");
  const defaults = defaultsOf(model.modelType);
  if (defaults.noGetattr) throw new Refusal("code bases with this mistake do not read this family so");
  const d = rotaryDimension(model.config, defaults);
  const notes = ["config has no attribute rope_theta under transformers 5: the default of getattr is used"];
  if (model.config.rope_scaling || model.config.rope_parameters) {
    notes.push("code that also reads config.rope_scaling still sees the scaling, with base 10000");
  }
  return {
    ...plain(setsItself(model) ? (baseOf(model.config, "rope_theta") ?? 10000) : 10000, d),
    notes: setsItself(model) ? [] : notes,
    layersWithoutRotation: stillLayers(model.config, defaults),
  };
}

export const getattrLegacy: ReaderData = {
  source: 'getattr(config, "rope_theta", 10000.0) under transformers 5.15.0, as in DeepSpeed and vLLM (emulated)',
  layerTypes: (model) => layerTypesOf(model.config, defaultsOf(model.modelType)),
  read,
};
