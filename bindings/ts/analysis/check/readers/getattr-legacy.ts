/** Code that asks a configuration of Transformers 5 for `rope_theta`, which has moved: it gets its own default. */
import { familyOf } from "../families.js";
import type { Model } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Absence, plain } from "../rules.js";
import { baseOf } from "./class.js";
import { factsOf, layerTypesOf, pairingOf, rotaryDimension, stillLayers } from "./transformers.js";

/** GTE's own configuration class sets `rope_theta` itself. */
const setsItself = (model: Model) => model.modelType === "new" || model.modelType === "gte";

function read(model: Model): Read {
  const facts = factsOf(model);
  if (familyOf(model.modelType).noGetattr) throw new Absence("code bases with this mistake do not read this family so");
  const d = rotaryDimension(model, facts, "default");
  const notes = ["config has no attribute rope_theta under transformers 5: the default of getattr is used"];
  if (model.config.rope_scaling || model.config.rope_parameters) {
    notes.push("code that also reads config.rope_scaling still sees the scaling, with base 10000");
  }
  return {
    ...plain(setsItself(model) ? (baseOf(model.config, "rope_theta") ?? 10000) : 10000, d),
    pairing: pairingOf(model, facts),
    notes: setsItself(model) ? [] : notes,
    layersWithoutRotation: stillLayers(model.config, facts),
  };
}

export const getattrLegacy: ReaderData = {
  source: 'getattr(config, "rope_theta", 10000.0) under transformers 5.15.0, as in DeepSpeed and vLLM (emulated)',
  layerTypes: layerTypesOf,
  read,
};
