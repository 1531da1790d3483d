/** The library's own strict reader, which reads GGUF metadata as llama.cpp does. */

import { readConfig } from "../../../config/config.js";
import type { Core } from "../../../module/core.js";
import type { NativeAnalysis } from "../../../module/native.js";
import { optionsToJson } from "../../../module/options.js";
import type { Frequencies } from "../../../rope/frequencies.js";
import type { Pairing } from "../../../rope/pairing.js";
import { explain } from "../../explain.js";
import type { Model } from "../model.js";
import type { Read } from "../reader.js";
import { Absence, llama3, Refusal, yarn } from "../rules.js";

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
    case "ntk-su":
    case "dynamic":
      return { factor: rule.factor };
    case "ntk-mixed":
      return { factor: rule.factor, mixed_b: rule.mixedB };
    case "proportional":
      return { factor: rule.factor ?? 1, partial_rotary_factor: rule.fraction };
    case "receptive-field":
      return { alpha: rule.alpha, rho: rule.rho };
    default:
      return {};
  }
}

/** Refuses GGUF files of architectures that llama.cpp has not, or that it does not rotate: the list is the strict reader's. */
export function refuseArchitecture(core: Core<NativeAnalysis>, whole: object): void {
  try {
    readConfig(core, whole, {});
  } catch (error) {
    const { message, argument } = error as Error & { argument?: string };
    if (argument === "general.architecture") throw new Absence(message.replace(/^readRopeConfig: /, ""));
  }
}

export function readStrictly(core: Core<NativeAnalysis>, whole: object, model: Model): Read & { pairing: Pairing } {
  let reading: ReturnType<typeof readConfig>;
  try {
    const { context: sequenceLength, layerType } = model;
    reading = readConfig(core, whole, { sequenceLength, layerType });
  } catch (error) {
    const { message, argument } = error as Error & { argument?: string };
    const words = message.replace(/^readRopeConfig: /, "");
    throw argument === "model_type" ? new Absence(words) : new Refusal(words);
  }
  const { options, notes, layersWithoutRotation, softmaxScale } = reading;
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
    notes,
    softmaxScale: softmaxScale === 1 ? undefined : softmaxScale,
    layersWithoutRotation: layersWithoutRotation.length === 0 ? undefined : layersWithoutRotation,
  };
}
