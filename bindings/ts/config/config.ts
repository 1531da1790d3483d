/** RopeOptions from the configuration that a model is published with. */
import type { Core } from "../module/core.js";
import { camelCaseNames, optionsObject, refusal } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import { PAIRINGS } from "../module/numbers.js";
import { configToJson, optionsFromJson } from "../module/options.js";
import type { Pairing } from "../rope/pairing.js";
import type { RopeOptions } from "../rope/rope.js";

/** Answers to what a configuration leaves open. */
export interface ConfigOptions {
  /** Tokens of the sequence. The rules 'dynamic' and 'longrope' depend on it and do not read without. */
  sequenceLength?: number | undefined;
  /** "full_attention", "sliding_attention", ...: which layers, where a configuration has a rule for each type. */
  layerType?: string | undefined;
  /**
   * Needed for a `model_type` that Ropewalk does not know: without it such a configuration is refused, since nothing else
   * in it says which channels make a pair. Where it is given it counts, for weights brought to another order.
   */
  pairing?: Pairing | undefined;
}

/** Keys of the configuration keep their own spelling; only what is ours is spelled as JavaScript does. */
const inOurWords = (text: string): string => text.replace(/\b(sequence_length|layer_type)\b(?=`|$)/g, camelCaseNames);

/** A configuration as it was read. */
export interface ConfigReading {
  options: RopeOptions;
  /** Indices of the layers whose queries and keys are not rotated, ascending. */
  layersWithoutRotation: number[];
  /**
   * A factor of the softmax's scale, beside 1/sqrt(D): DeepSeek's YaRN scales there what others put into the magnitude.
   * 1 for all other models.
   */
  softmaxScale: number;
  /** One sentence for each assumption that the reading rests on, and for what the model does beside rotating. */
  notes: string[];
}

export function readConfig(
  core: Core<NativeAnalysis>,
  config: object,
  options: ConfigOptions,
  fn = "readRopeConfig",
): ConfigReading {
  const { native } = core;
  if (Array.isArray(config)) throw refusal("type", fn, "config", config, "config.json, parsed");
  const json = configToJson(fn, optionsObject(fn, "config", config));
  const names = ["sequenceLength", "layerType", "pairing"];
  const { sequenceLength, layerType, pairing } = optionsObject(fn, "options", options, names);
  if (sequenceLength !== undefined && typeof sequenceLength !== "number") {
    throw refusal("type", fn, "sequenceLength", sequenceLength, "a number");
  }
  if (layerType !== undefined && (typeof layerType !== "string" || layerType === "")) {
    throw refusal("type", fn, "layerType", layerType, "a type of layers, as the configuration calls it");
  }
  if (pairing !== undefined && !PAIRINGS.includes(pairing)) {
    const code = typeof pairing === "string" ? "range" : "type";
    throw refusal(code, fn, "pairing", pairing, PAIRINGS.map((each) => JSON.stringify(each)).join(" or "));
  }
  const pairingIndex = pairing === undefined ? -1 : PAIRINGS.indexOf(pairing);
  const length = [Number(sequenceLength !== undefined), sequenceLength ?? 0] as const;
  const code = core.withText(fn, "`config`", json, (...config) =>
    core.withText(fn, "`layerType`", layerType ?? "", (...layerType) =>
      native._ropewalk_read_config(...config, ...length, ...layerType, pairingIndex),
    ),
  );
  if (code !== 0) throw core.failure(inOurWords, fn);
  return optionsFromJson<ConfigReading>(core.text());
}

export const optionsFromConfig = (core: Core<NativeAnalysis>, config: object, options: ConfigOptions): RopeOptions =>
  readConfig(core, config, options, "ropeOptionsFromConfig").options;
