/** llama.cpp: the converter's GGUF keys, and what the runtime makes of them. */
import type { Facts } from "../facts.js";
import { familyOf } from "../families.js";
import {
  isObject,
  type Json,
  longestOf,
  type Model,
  mapsLayerTypes,
  neededNumber,
  numberOf,
  numbersOf,
  optionalNumber,
  ruleNameOf,
} from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import * as rules from "../rules.js";
import { Absence, type Rotation } from "../rules.js";
import { readGguf } from "./llama-cpp-gguf.js";
import {
  factsOf,
  latentScale,
  layerTypesOf,
  outerBase,
  pairingOf,
  rotaryDimension,
  stillLayers,
} from "./transformers.js";

const BASE_NOT_WRITTEN = "the base is not written: 10000 whatever the config says";

/** `rope_parameters` first, also where it is null. */
function dictionary(config: Json, notes: string[]): Json {
  const { rope_parameters: parameters, rope_scaling: scaling } = config;
  if (parameters === undefined) return isObject(scaling) ? scaling : {};
  if (scaling !== undefined && scaling !== null && JSON.stringify(scaling) !== JSON.stringify(parameters)) {
    notes.push("rope_parameters replaces rope_scaling, even where it is null");
  }
  return isObject(parameters) ? parameters : {};
}

interface Found {
  rule: Json;
  base: number;
}

function find(model: Model, facts: Facts, notes: string[]): Found {
  const { config, layerType } = model;
  const layer = layerType === undefined ? undefined : facts.layers?.[layerType];
  const all = dictionary(config, notes);
  const nested = mapsLayerTypes(all);
  const scaled = layer === undefined || typeof facts.scaling === "string" || facts.scaling?.includes(layerType!);
  const rule = (nested ? all[layerType ?? "full_attention"] : scaled ? all : {}) ?? {};
  const without = familyOf(model.modelType).llamaCppWithoutBase;
  if (without) notes.push(BASE_NOT_WRITTEN);
  const key = layer?.baseKey ?? "rope_theta";
  const outer = config[key] === null ? 10000 : outerBase(model, { ...facts, baseKey: key });
  return { rule, base: without ? 10000 : (optionalNumber(rule, "rope_theta") ?? outer) };
}

function longRope(model: Model, rule: Json, base: number, d: number, notes: string[]): Rotation {
  const { config } = model;
  const longest = longestOf(config) ?? neededNumber(config, "max_position_embeddings");
  const original =
    optionalNumber(config, "original_max_position_embeddings") ??
    neededNumber(rule, "original_max_position_embeddings");
  notes.push("long factors for the whole of a context that was configured longer than the original one");
  return rules.longRope(base, d, {
    // The tensors are float32.
    short: numbersOf(rule, "short_factor"),
    long: numbersOf(rule, "long_factor"),
    original,
    length: model.context,
    magnitude: rules.longRopeScale(longest / original, original),
  });
}

function yarn(model: Model, rule: Json, facts: Facts, base: number, d: number, notes: string[]): Rotation {
  const factor = neededNumber(rule, "factor");
  const original = neededNumber(rule, "original_max_position_embeddings");
  const unused = ["beta_fast", "beta_slow"].filter(
    (key, i) => (optionalNumber(rule, key) ?? [32, 1][i]) !== [32, 1][i],
  );
  const latent = facts.latent && optionalNumber(rule, "mscale_all_dim") !== undefined;
  const magnitude = latent ? 1 : rules.yarnScale(factor);
  if (rule.attention_factor != null) {
    notes.push("attention_factor is written but not used: the magnitude is 0.1 ln(factor) + 1");
  }
  for (const key of unused) notes.push(`${key} is written but not used`);
  if (rule.truncate === false) notes.push("truncate is ignored: the bounds of the ramp are always rounded");
  if (latent && optionalNumber(rule, "mscale") !== optionalNumber(rule, "mscale_all_dim")) {
    notes.push("mscale is taken to be mscale_all_dim");
  }
  if (model.modelType === "") notes.push("the class is not known");
  return rules.yarn(base, d, { factor, original, betaFast: 32, betaSlow: 1, truncate: true, magnitude });
}

function rotationOf(model: Model, facts: Facts, found: Found, d: number, notes: string[]): Rotation {
  const { rule, base } = found;
  const name = ruleNameOf(rule) ?? "default";
  const family = familyOf(model.modelType);
  if (name === "default" || name === "mrope") return rules.plain(base, d);
  if (name === "linear") return rules.linear(base, d, neededNumber(rule, "factor"));
  if (name === "yarn") return yarn(model, rule, facts, base, d, notes);
  if ((name === "longrope" || name === "su") && family.llamaCppLongRope) {
    return longRope(model, rule, base, d, notes);
  }
  if (name === "llama3" && family.llamaCppLlama3) {
    const original = numberOf(rule, "original_max_position_embeddings") ?? 8192;
    return rules.llama3(base, d, {
      factor: numberOf(rule, "factor") ?? 8,
      lowFactor: numberOf(rule, "low_freq_factor") ?? 1,
      highFactor: numberOf(rule, "high_freq_factor") ?? 4,
      original,
    });
  }
  const alpha = facts.alpha && name === "dynamic" ? optionalNumber(rule, "alpha") : undefined;
  if (alpha) return { ...rules.plain(base * alpha ** (d / (d - 2)), d), rule: "ntk", base, options: { factor: alpha } };
  // Converters of other classes may write a rule by code of their own.
  if (!family.llamaCppLlama3)
    throw new Absence(`not held to what the converter of ${model.modelType} writes of ${name}`);
  notes.push(`rule ${name} is not converted: plain rotation`);
  return rules.plain(base, d);
}

function nomic(config: Json): Read {
  const hidden = neededNumber(config, "n_embd");
  const base = optionalNumber(config, "rotary_emb_base") ?? 10000;
  const trained = optionalNumber(config, "max_trained_positions") ?? 2048;
  const notes = [`rotary_scaling_factor is not read; the context is set to ${trained}`];
  return { ...rules.plain(base, hidden / neededNumber(config, "n_head")), notes };
}

function read(model: Model): Read {
  if (model.gguf) return readGguf(model);
  const { config, modelType } = model;
  const { notInLlamaCpp, llamaCppUnknown } = familyOf(modelType);
  if (notInLlamaCpp !== undefined) throw new Absence(notInLlamaCpp);
  if (llamaCppUnknown) throw new Absence(`not held to what the converter of ${modelType} writes`);
  const facts = factsOf(model);
  if (modelType === "nomic_bert" && config.n_embd !== undefined) return nomic(config);
  const notes: string[] = [];
  const found = find(model, facts, notes);
  const name = ruleNameOf(found.rule) ?? "default";
  const d = rotaryDimension(model, facts, name, found.rule);
  return {
    ...rotationOf(model, facts, found, d, notes),
    notes,
    pairing: pairingOf(model, facts),
    layersWithoutRotation: stillLayers(config, facts),
    softmaxScale: latentScale({ rule: found.rule, name, facts }),
  };
}

export const llamaCpp: ReaderData = {
  source: "llama.cpp 2026-07-23, conversion/*.py and ggml/src/ggml-cpu/ops.cpp (emulated)",
  layerTypes: layerTypesOf,
  read,
};
