/** Parts that releases 4 and 5 of Transformers have in common: the formulas of modeling_rope_utils.py and the dimensions. */
import { defaultsOf, type FamilyDefaults } from "../families.js";
import {
  headDimension,
  isObject,
  type Json,
  longestOf,
  type Model,
  mapsLayerTypes,
  neededNumber,
  numberOf,
  numbersOf,
  optionalNumber,
  whole,
} from "../model.js";
import * as rules from "../rules.js";
import { Refusal, type Rotation } from "../rules.js";

/** An `rope_theta` that is null reaches the power of base and exponent, and raises there. */
export function baseOf(holder: Json, key: string): number | undefined {
  if (holder[key] === null) throw new Refusal("TypeError: the base is null");
  return numberOf(holder, key);
}

/** d, Python's int(head_dim * partial_rotary_factor). `rule` may hold a factor of its own. */
export function rotaryDimension(config: Json, defaults: FamilyDefaults, rule: Json = {}): number {
  if (defaults.dimensionKey !== undefined) {
    return optionalNumber(config, defaults.dimensionKey) ?? defaults.dimension ?? headDimension(config);
  }
  const fraction =
    optionalNumber(rule, "partial_rotary_factor") ??
    optionalNumber(config, defaults.fractionKey ?? "partial_rotary_factor") ??
    defaults.fraction ??
    1;
  return whole(headDimension(config) * fraction);
}

/** Layers that do not rotate: a list of flags, or every n-th. */
export function stillLayers(config: Json, defaults: FamilyDefaults): number[] | undefined {
  const flags = config.no_rope_layers;
  if (Array.isArray(flags)) return flags.flatMap((rotates, layer) => (rotates === 0 ? [layer] : []));
  return defaults.stillEvery === undefined ? undefined : everyNth(config, defaults.stillEvery);
}

export function everyNth(config: Json, step: number): number[] {
  const layers = optionalNumber(config, "num_hidden_layers") ?? 0;
  return rules.indices(layers).filter((layer) => (layer + 1) % step === 0);
}

/** 0.1 mscale_all_dim ln(factor) + 1, squared: what latent attention multiplies its softmax scale by. */
export function latentScale(rule: Json, defaults: FamilyDefaults, name: string): number | undefined {
  const all = name === "yarn" && defaults.latent ? optionalNumber(rule, "mscale_all_dim") : undefined;
  const factor = optionalNumber(rule, "factor");
  return all && factor !== undefined ? rules.yarnScale(factor, all) ** 2 : undefined;
}

/** Keys at the top of the configuration that stand in for members of the rule. */
export interface Surroundings {
  model: Model;
  defaults: FamilyDefaults;
  /** `original_max_position_embeddings` beside the dictionary, or in it. */
  longRopeOriginal: number | undefined;
}

function yarnMagnitude(rule: Json, factor: number): number {
  const given = optionalNumber(rule, "attention_factor");
  if (given !== undefined) return given;
  const [mscale, all] = [optionalNumber(rule, "mscale"), optionalNumber(rule, "mscale_all_dim")];
  if (mscale && all) return rules.yarnScale(factor, mscale) / rules.yarnScale(factor, all);
  return rules.yarnScale(factor);
}

export function applyRule(rule: Json, name: string, base: number, d: number, around: Surroundings): Rotation {
  const { model, longRopeOriginal } = around;
  const longest = () => longestOf(model.config) ?? neededNumber(model.config, "max_position_embeddings");
  switch (name) {
    case "default":
      return rules.plain(base, d);
    case "linear":
      return rules.linear(base, d, neededNumber(rule, "factor"));
    case "dynamic":
      return rules.dynamic(base, d, neededNumber(rule, "factor"), longest(), model.context);
    case "yarn": {
      const factor = neededNumber(rule, "factor");
      return rules.yarn(base, d, {
        factor,
        original: optionalNumber(rule, "original_max_position_embeddings") ?? longest(),
        betaFast: optionalNumber(rule, "beta_fast") || 32,
        betaSlow: optionalNumber(rule, "beta_slow") || 1,
        truncate: rule.truncate !== false,
        magnitude: yarnMagnitude(rule, factor),
      });
    }
    case "longrope": {
      const original = longRopeOriginal ?? longest();
      const factor = longRopeOriginal === undefined ? optionalNumber(rule, "factor") : longest() / original;
      const given = optionalNumber(rule, "attention_factor");
      return rules.longRope(base, d, {
        short: numbersOf(rule, "short_factor"),
        long: numbersOf(rule, "long_factor"),
        original,
        length: model.context,
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
    default:
      throw new Refusal(`KeyError: '${name}'`);
  }
}

/** The types that have rules or bases of their own. */
export function layerTypesOf(config: Json, defaults: FamilyDefaults): readonly string[] {
  for (const dictionary of [config.rope_parameters, config.rope_scaling]) {
    if (mapsLayerTypes(dictionary)) return Object.keys(dictionary).filter((type) => isObject(dictionary[type]));
  }
  return defaults.layers === undefined ? [] : Object.keys(defaults.layers);
}

/** Refuses families without a class in this release. */
export function classOf(model: Model, release: 4 | 5): FamilyDefaults {
  if (model.gguf) throw new Refusal("GGUF metadata is read by llama.cpp");
  const defaults = defaultsOf(model.modelType);
  const missing = defaults.since === "none" || (defaults.since === "5" && release === 4);
  if (missing) throw new Refusal("no class for this model_type: the checkpoint's own code is used");
  return defaults;
}
