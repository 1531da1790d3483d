/** Transformers 5: `rope_parameters`; a `rope_scaling` that is not empty replaces it. */
import type { FamilyDefaults } from "../families.js";
import { isObject, type Json, type Model, mapsLayerTypes, optionalNumber, ruleNameOf } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { proportional } from "../rules.js";
import { applyRule, baseOf, classOf, latentScale, layerTypesOf, rotaryDimension, stillLayers } from "./transformers.js";

const NAMES: Readonly<Record<string, string>> = { su: "longrope", mrope: "default" };
const filled = (value: unknown): value is Json => isObject(value) && Object.keys(value).length > 0;

interface Found {
  rule: Json;
  base: number;
  notes: string[];
}

function flat(config: Json, defaults: FamilyDefaults): Found {
  const { rope_scaling: scaling, rope_parameters: parameters } = config;
  const rule = filled(scaling) ? scaling : filled(parameters) ? parameters : {};
  const both = filled(scaling) && filled(parameters) && JSON.stringify(scaling) !== JSON.stringify(parameters);
  const base = baseOf(rule, "rope_theta") ?? baseOf(config, defaults.baseKey ?? "rope_theta") ?? defaults.base ?? 10000;
  return { rule, base, notes: both ? ["rope_scaling replaces rope_parameters altogether"] : [] };
}

/** Families with a rule for each type of layers; keys of older files fill in what `rope_parameters` leaves out. */
function layered(config: Json, defaults: FamilyDefaults, type: string): Found {
  const layer = defaults.layers?.[type];
  const dictionary = config.rope_parameters;
  const own = mapsLayerTypes(dictionary) ? dictionary[type] : undefined;
  const scaling = layer?.scaled && filled(config.rope_scaling) ? config.rope_scaling : {};
  const rule = { rope_type: "default", ...own, ...scaling };
  const base = baseOf(rule, "rope_theta") ?? (layer && baseOf(config, layer.key)) ?? layer?.base ?? 10000;
  return { rule, base, notes: [] };
}

/** The class of NomicBERT expects a converted configuration. */
function nomicNotes(config: Json): string[] {
  const unread = ["rotary_emb_base", "rotary_scaling_factor", "rotary_emb_fraction", "n_embd", "n_head"];
  if (unread.every((key) => config[key] === undefined)) return [];
  return [`the class in transformers reads none of ${unread.join(", ")}: it expects a converted config`];
}

function read(model: Model): Read {
  const defaults = classOf(model, 5);
  const { layerType } = model;
  const nomic = model.modelType === "nomic_bert";
  // The defaults of the class are those of nomic-embed-text-v1.5.
  const config: Json = nomic ? { hidden_size: 768, num_attention_heads: 12, ...model.config } : model.config;
  const found = layerType === undefined ? flat(config, defaults) : layered(config, defaults, layerType);
  const { rule, base, notes } = found;
  const written = ruleNameOf(rule) ?? "default";
  const name = NAMES[written] ?? written;
  if (nomic) notes.push(...nomicNotes(config));
  const longRopeOriginal =
    optionalNumber(rule, "original_max_position_embeddings") ??
    optionalNumber(config, "original_max_position_embeddings");
  const longest = optionalNumber(config, "max_position_embeddings");
  if (name === "yarn" && longRopeOriginal !== undefined && longest !== undefined) {
    if (longest / longRopeOriginal !== rule.factor) {
      notes.push(
        "warns that factor is not max_position_embeddings / original_max_position_embeddings, and uses factor",
      );
    }
  }
  const around = { model, defaults, longRopeOriginal };
  const rotation =
    name === "proportional"
      ? proportional(
          base,
          rotaryDimension(config, { ...defaults, fraction: 1, fractionKey: "" }),
          optionalNumber(rule, "partial_rotary_factor") ?? 1,
          optionalNumber(rule, "factor") ?? 1,
        )
      : applyRule(rule, name, base, rotaryDimension(config, defaults, rule), around);
  return {
    ...rotation,
    notes,
    layersWithoutRotation: stillLayers(config, defaults),
    softmaxScale: latentScale(rule, defaults, name),
  };
}

export const transformers5: ReaderData = {
  source: "transformers 5.15.0, src/transformers/modeling_rope_utils.py (emulated)",
  layerTypes: (model) => layerTypesOf(model.config, classOf(model, 5)),
  read,
};
