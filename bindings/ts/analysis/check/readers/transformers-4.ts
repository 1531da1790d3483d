/** Transformers 4: keys at the top, `rope_scaling` beside them. */
import { isObject, type Json, longestOf, type Model, optionalNumber, ruleNameOf } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Refusal } from "../rules.js";
import { type Class, refuseNoDictionary, ruleName } from "./class.js";
import { applyRule, besideOf, classFacts, layerTypesOf, outerBase, rotaryDimension } from "./transformers.js";

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
  const facts = classFacts(model, 4);
  const { config, layerType } = model;
  refuseNoDictionary(config);
  const { rope_scaling: scaling } = config;
  const scaled = layerType === undefined || typeof facts.scaling === "string" || facts.scaling?.includes(layerType);
  const usual = scaling === undefined && facts.layers === undefined ? facts.rope : undefined;
  const rule = scaled === false ? {} : isObject(scaling) ? scaling : (usual ?? {});
  if (rule === scaling && ruleNameOf(rule) === null) throw new Refusal("KeyError: None");
  const name = ruleName(rule, facts);
  if (
    facts.type === "phi3" &&
    isObject(scaling) &&
    (typeof scaling.type !== "string" || Object.keys(scaling).length !== 3)
  )
    throw new Refusal(
      "ValueError: `rope_scaling` must be a dictionary with three fields, `type`, `short_factor` and `long_factor`",
    );
  const found: Class = {
    facts,
    rule,
    name,
    base: outerBase(model, facts),
    head: 0,
    dimension: rotaryDimension(model, facts, name),
    share: 1,
    positions: longestOf(config) ?? facts.positions,
    original: undefined,
  };
  const { notes, ...beside } = besideOf(model, found);
  const original = optionalNumber(config, "original_max_position_embeddings") ?? facts.original;
  return {
    ...applyRule(found, model.context, original),
    ...beside,
    notes: [...notesOf(config, rule, name), ...notes],
  };
}

export const transformers4: ReaderData = {
  source: "transformers 4.57.6, src/transformers/modeling_rope_utils.py (emulated)",
  layerTypes: layerTypesOf,
  read,
};
