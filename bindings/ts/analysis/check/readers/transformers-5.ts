/** Transformers 5: `rope_parameters`; a `rope_scaling` that is not empty replaces it. */
import { type Json, type Model, optionalNumber, ruleNameOf } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Refusal } from "../rules.js";
import { type Class, classOf, filled } from "./class.js";
import { applyRule, besideOf, classFacts, layerTypesOf } from "./transformers.js";

/** The class of NomicBERT expects a converted configuration. */
function nomicNotes(config: Json): string[] {
  const unread = ["rotary_emb_base", "rotary_scaling_factor", "rotary_emb_fraction", "n_embd", "n_head"];
  if (unread.every((key) => config[key] === undefined)) return [];
  return [`the class in transformers reads none of ${unread.join(", ")}: it expects a converted config`];
}

function notesOf(model: Model, { rule, name, original, positions }: Class): string[] {
  const { config, layerType, modelType } = model;
  const { rope_scaling: scaling, rope_parameters: parameters } = config;
  const notes = modelType === "nomic_bert" ? nomicNotes(config) : [];
  const both = filled(scaling) && filled(parameters) && JSON.stringify(scaling) !== JSON.stringify(parameters);
  if (both && layerType === undefined) notes.push("rope_scaling replaces rope_parameters altogether");
  const trained = optionalNumber(rule, "original_max_position_embeddings") ?? original;
  if (name === "yarn" && trained !== undefined && positions !== undefined && config.max_position_embeddings != null)
    if (positions / trained !== rule.factor)
      notes.push(
        "warns that factor is not max_position_embeddings / original_max_position_embeddings, and uses factor",
      );
  return notes;
}

/** Rules that want an original length: that of the configuration counts, then that of the dictionary, then the longest. */
function withOriginal(found: Class): Class {
  const { rule, name, original, positions } = found;
  if (name !== "llama3" && name !== "yarn" && name !== "longrope") return found;
  // A length beside the dictionary replaces that in it; else null stays, and is compared with a number.
  const inside = rule.original_max_position_embeddings;
  if (inside === null && original === undefined && name !== "longrope")
    throw new Refusal("TypeError: `original_max_position_embeddings` is null, not a number");
  // The class renames "su" after it has copied the length into the dictionaries of the rules that need it.
  if (ruleNameOf(rule) === "su" && inside === undefined)
    throw new Refusal(
      "KeyError: \"Missing required keys in `rope_parameters` for 'rope_type'='longrope': {'original_max_position_embeddings'}\"",
    );
  const trained = original ?? optionalNumber(rule, "original_max_position_embeddings") ?? positions;
  if (trained === undefined) throw new Refusal("AttributeError: no attribute 'max_position_embeddings'");
  const usual = name === "longrope" && positions !== undefined ? positions / trained : undefined;
  const factor = optionalNumber(rule, "factor") ?? usual;
  return {
    ...found,
    rule: { ...rule, ...(factor !== undefined && { factor }), original_max_position_embeddings: trained },
  };
}

function read(model: Model): Read {
  const found = withOriginal(classOf(model, classFacts(model, 5)));
  const { notes, ...beside } = besideOf(model, found);
  return {
    ...applyRule(found, model.context),
    ...beside,
    notes: [...notesOf(model, found), ...notes],
  };
}

export const transformers5: ReaderData = {
  source: "transformers 5.23.0, src/transformers/modeling_rope_utils.py (emulated)",
  layerTypes: layerTypesOf,
  read,
};
