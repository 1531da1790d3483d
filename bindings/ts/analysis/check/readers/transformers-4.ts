/** Transformers 4: keys at the top, `rope_scaling` beside them. */
import { isObject, type Json, type Model, optionalNumber, ruleNameOf } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Refusal } from "../rules.js";
import { applyRule, baseOf, classOf, latentScale, layerTypesOf, rotaryDimension, stillLayers } from "./transformers.js";

/** "su" and "mrope" are other names, which the configuration classes replace. */
const NAMES: Readonly<Record<string, string>> = { su: "longrope", mrope: "default" };

function notesOf(config: Json, rule: Json, name: string): string[] {
  const notes: string[] = [];
  if (config.rope_parameters) notes.push("rope_parameters is ignored");
  if (rule.rope_theta !== undefined) notes.push("rope_theta inside rope_scaling is ignored");
  if (name !== "yarn") return notes;
  const original = optionalNumber(rule, "original_max_position_embeddings");
  const longest = optionalNumber(config, "max_position_embeddings");
  if (original !== undefined && original !== longest) {
    notes.push("releases 4.43 to 4.50 place the ramp by max_position_embeddings");
    if (longest !== undefined && longest / original !== rule.factor) {
      notes.push("releases 4.51 to 4.55 replace factor by max_position_embeddings / original_max_position_embeddings");
    }
  }
  if (rule.truncate === false) notes.push("releases before 4.55 ignore truncate");
  return notes;
}

function read(model: Model): Read {
  const defaults = classOf(model, 4);
  const { config, layerType } = model;
  const scaling = config.rope_scaling;
  const given = isObject(scaling) ? scaling : undefined;
  const layer = layerType === undefined ? undefined : defaults.layers?.[layerType];
  const rule = given === undefined || layer?.scaled === false ? { rope_type: "default" } : given;
  const written = ruleNameOf(rule);
  if (written === null) throw new Refusal("KeyError: None");
  const name = NAMES[written] ?? written;
  const base = baseOf(config, layer?.key ?? defaults.baseKey ?? "rope_theta") ?? layer?.base ?? defaults.base ?? 10000;
  const longRopeOriginal = optionalNumber(config, "original_max_position_embeddings");
  const d = rotaryDimension(config, defaults);
  const rotation = applyRule(rule, name, base, d, { model, defaults, longRopeOriginal });
  return {
    ...rotation,
    notes: notesOf(config, rule, name),
    layersWithoutRotation: stillLayers(config, defaults),
    softmaxScale: latentScale(rule, defaults, name),
  };
}

export const transformers4: ReaderData = {
  source: "transformers 4.57.6, src/transformers/modeling_rope_utils.py (emulated)",
  layerTypes: (model) => layerTypesOf(model.config, classOf(model, 4)),
  read,
};
