/** The library's own strict reader, which reads GGUF metadata as llama.cpp does. */

import { optionsFromConfig } from "../../../config/config.js";
import type { Core } from "../../../module/core.js";
import type { NativeAnalysis } from "../../../module/native.js";
import { optionsToJson } from "../../../module/options.js";
import type { Frequencies } from "../../../rope/frequencies.js";
import type { Pairing } from "../../../rope/pairing.js";
import { explain } from "../../explain.js";
import { defaultsOf } from "../families.js";
import type { Model } from "../model.js";
import type { Read } from "../reader.js";
import { llama3, Refusal, yarn } from "../rules.js";
import { stillLayers } from "./transformers.js";

/** The parameters that a table alone determines. */
function tableOptions(rule: Frequencies, d: number, base: number): Record<string, unknown> {
  switch (rule.type) {
    case "yarn":
      return yarn(base, d, {
        factor: rule.factor,
        original: rule.originalMaxPositions,
        betaFast: rule.betaFast ?? 32,
        betaSlow: rule.betaSlow ?? 1,
        truncate: rule.truncate ?? true,
        magnitude: 1,
      }).options;
    case "llama3":
      return llama3(base, d, {
        factor: rule.factor,
        lowFactor: rule.lowFrequencyFactor,
        highFactor: rule.highFrequencyFactor,
        original: rule.originalMaxPositions,
      }).options;
    case "longrope":
      return {
        short_factor: rule.shortFactor,
        long_factor: rule.longFactor,
        original_max_position_embeddings: rule.originalMaxPositions,
      };
    case "linear":
    case "ntk":
    case "dynamic":
      return { factor: rule.factor };
    case "proportional":
      return { factor: rule.factor ?? 1, partial_rotary_factor: rule.fraction };
    case "receptive-field":
      return { alpha: rule.alpha, rho: rule.rho };
    default:
      return {};
  }
}

export function readStrictly(core: Core<NativeAnalysis>, whole: object, model: Model): Read & { pairing: Pairing } {
  let options: ReturnType<typeof optionsFromConfig>;
  try {
    const { context: sequenceLength, layerType } = model;
    options = optionsFromConfig(core, whole, { sequenceLength, layerType });
  } catch (error) {
    throw new Refusal((error as Error).message.replace(/^ropeOptionsFromConfig: /, ""));
  }
  const rule: Frequencies = options.frequencies ?? { type: "default" };
  const base = "base" in rule && typeof rule.base === "number" ? rule.base : 10000;
  const { pairs, magnitude } = explain(core, optionsToJson("checkRope", options), {});
  const d = options.rotaryDim ?? options.headDim;
  return {
    rule: rule.type,
    base,
    pairing: options.pairing ?? "interleaved",
    frequencies: pairs.map(({ theta }) => theta),
    magnitude,
    options: tableOptions(rule, d, base),
    notes: [],
    layersWithoutRotation: model.gguf ? undefined : stillLayers(model.config, defaultsOf(model.modelType)),
  };
}
