/** Parts that releases 4 and 5 of Transformers have in common: the formulas of modeling_rope_utils.py, and what classes do beside. */
import type { Pairing } from "../../../rope/pairing.js";
import type { Facts } from "../facts.js";
import { isObject, type Json, type Model, mapsLayerTypes, neededNumber, numbersOf, optionalNumber } from "../model.js";
import type { Read } from "../reader.js";
import * as rules from "../rules.js";
import { Absence, Refusal, type Rotation } from "../rules.js";
import { baseOf, type Class, headOf } from "./class.js";

/** Layers that do not rotate: by a list of flags, every n-th, or those without a window. */
export function stillLayers(config: Json, { stillEvery, stillFull }: Facts): number[] | undefined {
  const { no_rope_layers: flags, layer_types: types, sliding_window: window } = config;
  if (stillFull && (stillFull === "always" || (window !== null && window !== undefined))) {
    if (Array.isArray(types)) return types.flatMap((type, layer) => (type === "full_attention" ? [layer] : []));
    return everyNth(config, optionalNumber(config, "sliding_window_pattern") ?? 4);
  }
  if (Array.isArray(flags) && flags.length > 0)
    return flags.flatMap((rotates, layer) => (rotates === 0 ? [layer] : []));
  const step = optionalNumber(config, "no_rope_layer_interval") ?? stillEvery;
  return stillEvery === undefined ? undefined : everyNth(config, step!);
}

export function everyNth(config: Json, step: number): number[] {
  if (step === 0) throw new Refusal("ZeroDivisionError: integer modulo by zero");
  const layers = optionalNumber(config, "num_hidden_layers") ?? 0;
  return rules.indices(layers).filter((layer) => (layer + 1) % step === 0);
}

/** 0.1 mscale_all_dim ln(factor) + 1, squared: what latent attention multiplies its softmax scale by. */
export function latentScale({ rule, name, facts }: Pick<Class, "rule" | "name" | "facts">): number | undefined {
  const all = name === "yarn" && facts.latent ? optionalNumber(rule, "mscale_all_dim") : undefined;
  const factor = optionalNumber(rule, "factor");
  return all && factor !== undefined ? rules.yarnScale(factor, all) ** 2 : undefined;
}

/** As the file's own key says, or the class. */
export function pairingOf({ config }: Model, facts: Facts): Pairing {
  const written = config.rope_interleave ?? config.rotary_emb_interleaved;
  if (typeof written === "boolean") return written ? "interleaved" : "half";
  return facts.pairing === "interleaved" ? "interleaved" : "half";
}

/** Facts that no table of frequencies says. */
export function notesOfClass(facts: Facts | undefined): string[] {
  const notes: string[] = [];
  if (facts?.backwards) notes.push("rotates by minus the position");
  if (facts?.indexer) notes.push("the indexer beside the attention rotates too, and is not part of this reading");
  if (facts?.pairing === "unknown")
    notes.push("the pairing is that of most classes: the function that rotates could not be run");
  return notes;
}

/** The part of a reading that is beside the rule: pairing, layers that do not rotate, softmax scale, notes. */
export function besideOf(model: Model, found: Class): Partial<Read> & { notes: string[] } {
  const { facts } = found;
  return {
    notes: notesOfClass(facts),
    pairing: pairingOf(model, facts),
    layersWithoutRotation: stillLayers(model.config, facts),
    softmaxScale: latentScale(found),
  };
}

function yarnMagnitude(rule: Json, factor: number): number {
  const given = optionalNumber(rule, "attention_factor");
  if (given !== undefined) return given;
  const [mscale, all] = [optionalNumber(rule, "mscale"), optionalNumber(rule, "mscale_all_dim")];
  if (mscale && all) return rules.yarnScale(factor, mscale) / rules.yarnScale(factor, all);
  return rules.yarnScale(factor);
}

/** The rotation of a model at a length. In release 4 `ownOriginal` is what the factor of longrope is the ratio to. */
export function applyRule(found: Class, context: number, ownOriginal?: number): Rotation {
  const { rule, name, base, dimension: d, facts } = found;
  const longest = () => {
    if (found.positions === undefined) throw new Refusal("AttributeError: 'max_position_embeddings'");
    return found.positions;
  };
  switch (name) {
    case "default":
      return rules.plain(base, d);
    case "linear":
      return rules.linear(base, d, neededNumber(rule, "factor"));
    case "dynamic": {
      const alpha = facts.alpha ? optionalNumber(rule, "alpha") : undefined;
      if (alpha)
        return { ...rules.plain(base * alpha ** (d / (d - 2)), d), rule: "ntk", base, options: { factor: alpha } };
      return rules.dynamic(base, d, neededNumber(rule, "factor"), longest(), context);
    }
    case "yarn": {
      const factor = neededNumber(rule, "factor");
      const original = optionalNumber(rule, "original_max_position_embeddings") ?? longest();
      if (original === 0) throw new Refusal("ZeroDivisionError: division by zero");
      return rules.yarn(base, d, {
        factor,
        original,
        betaFast: optionalNumber(rule, "beta_fast") || 32,
        betaSlow: optionalNumber(rule, "beta_slow") || 1,
        truncate: rule.truncate !== false,
        magnitude: yarnMagnitude(rule, factor),
      });
    }
    case "longrope": {
      const original = ownOriginal ?? optionalNumber(rule, "original_max_position_embeddings") ?? longest();
      const factor = ownOriginal === undefined ? optionalNumber(rule, "factor") : longest() / original;
      const given = optionalNumber(rule, "attention_factor");
      return rules.longRope(base, d, {
        short: numbersOf(rule, "short_factor"),
        long: numbersOf(rule, "long_factor"),
        original,
        length: context,
        magnitude: given ?? rules.longRopeScale(factor ?? 1, original),
      });
    }
    case "llama3":
      return rules.llama3(base, d, {
        factor: neededNumber(rule, "factor"),
        lowFactor: neededNumber(rule, "low_freq_factor"),
        highFactor: neededNumber(rule, "high_freq_factor"),
        original: neededNumber(rule, "original_max_position_embeddings"),
      });
    case "proportional":
      return rules.proportional(base, d, found.share, optionalNumber(rule, "factor") ?? 1);
    default:
      throw new Refusal(`KeyError: '${name}'`);
  }
}

/** d at the top of the file alone, Python's int(head_dim * partial_rotary_factor). `rule` may hold a factor of its own. */
export function rotaryDimension(model: Model, facts: Facts, name: string, rule: Json = {}): number {
  const { config, layerType } = model;
  const { dimensionKey, shareKey = "partial_rotary_factor" } = facts;
  const given = dimensionKey === undefined ? undefined : (optionalNumber(config, dimensionKey) ?? facts.dimension);
  if (given !== undefined) return given;
  const share = optionalNumber(rule, "partial_rotary_factor") ?? optionalNumber(config, shareKey) ?? facts.share ?? 1;
  return Math.trunc(headOf(config, facts, name, facts.layers?.[layerType ?? ""]) * share);
}

/** The base at the top of the file alone. */
export function outerBase({ config, layerType }: Model, facts: Facts): number {
  const layer = facts.layers?.[layerType ?? ""];
  const usual = facts.rope?.rope_theta as number | undefined;
  return (
    baseOf(config, (layer?.baseKey ?? facts.baseKey) || "rope_theta") ?? layer?.base ?? facts.base ?? usual ?? 10000
  );
}

/** The types that have rules or bases of their own. */
export function layerTypesOf({ config, sheet, modelType }: Model): readonly string[] {
  const facts = sheet.of(modelType);
  if (facts?.layers !== undefined) {
    const { layer_types: listed } = config;
    const types = Object.keys(facts.layers);
    // A base for each layer: the types that there are differ, whether the class has a row for them or not.
    if (Array.isArray(listed) && Array.isArray(config.rope_theta)) return [...new Set(listed.map(String))];
    const there = Array.isArray(listed) ? types.filter((type) => listed.includes(type)) : types;
    return there.length > 0 ? there : types;
  }
  for (const dictionary of [config.rope_parameters, config.rope_scaling]) {
    if (mapsLayerTypes(dictionary)) return Object.keys(dictionary).filter((type) => isObject(dictionary[type]));
  }
  return [];
}

/** The row of the model. Refuses families that the sheet does not know, and classes whose positions have several axes. */
export function factsOf({ gguf, modelType, sheet }: Model): Facts {
  if (gguf) throw new Absence("GGUF metadata is read by llama.cpp");
  const facts = sheet.of(modelType);
  if (facts?.axes) throw new Absence(`positions of "${modelType}" have several axes: no pair has one frequency`);
  if (facts === undefined && modelType !== "") throw new Absence(`no class for ${JSON.stringify(modelType)}`);
  return facts ?? { type: "", nullHead: "derived" };
}

/** The row of the model; refuses families without a class in this release. */
export function classFacts(model: Model, release: 4 | 5): Facts {
  const facts = factsOf(model);
  if (facts.code || (release === 4 && facts.since !== undefined))
    throw new Absence("no class for this model_type: the checkpoint's own code is used");
  return facts;
}
