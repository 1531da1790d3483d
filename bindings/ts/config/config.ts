/** RopeOptions from the configuration that a model is published with. */
import type { Core } from "../module/core.js";
import { camelCaseNames, errorOf, optionsObject, refusal } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import { configToJson, optionsFromJson } from "../module/options.js";
import { PAIRINGS, type Pairing } from "../rope/pairing.js";
import type { RopeOptions } from "../rope/rope.js";

/** What a configuration leaves open. */
export interface ConfigOptions {
  /** Tokens of the sequence. The rules 'dynamic' and 'longrope' depend on it and do not read without. */
  sequenceLength?: number;
  /** "full_attention", "sliding_attention", ...: which layers, where a configuration has a rule for each type. */
  layerType?: string;
  /**
   * Needed for a `model_type` that Ropewalk does not know: without it such a configuration is refused, since nothing else
   * in it says which channels make a pair. Where it is given it counts, for weights brought to another order.
   */
  pairing?: Pairing;
}

/** Keys of the configuration keep their own spelling; only what is ours is spelled as JavaScript does. */
function inOurWords(message: string): string {
  if (!message.startsWith("rope_options_from_config")) return camelCaseNames(message);
  return message
    .replace("rope_options_from_config", "ropeOptionsFromConfig")
    .replaceAll("`sequence_length`", "`sequenceLength`")
    .replaceAll("`layer_type`", "`layerType`");
}

export function optionsFromConfig(core: Core<NativeAnalysis>, config: object, options: ConfigOptions): RopeOptions {
  const fn = "ropeOptionsFromConfig";
  const { native } = core;
  if (Array.isArray(config)) throw new TypeError(refusal(fn, "config", config, "config.json, parsed"));
  const json = configToJson(fn, optionsObject(fn, "config", config));
  const { sequenceLength, layerType, pairing } = optionsObject(fn, "options", options);
  if (sequenceLength !== undefined && typeof sequenceLength !== "number") {
    throw new TypeError(refusal(fn, "sequenceLength", sequenceLength, "a number"));
  }
  if (layerType !== undefined && (typeof layerType !== "string" || layerType === "")) {
    throw new TypeError(refusal(fn, "layerType", layerType, "a type of layers, as the configuration calls it"));
  }
  if (pairing !== undefined && !PAIRINGS.includes(pairing)) {
    const refuse = typeof pairing === "string" ? RangeError : TypeError;
    throw new refuse(refusal(fn, "pairing", pairing, PAIRINGS.map((each) => JSON.stringify(each)).join(" or ")));
  }
  const pairingIndex = pairing === undefined ? -1 : PAIRINGS.indexOf(pairing);
  const read = native.optionsFromConfig(
    json,
    sequenceLength !== undefined,
    sequenceLength ?? 0,
    layerType ?? "",
    pairingIndex,
  );
  if (read === "") {
    const { code, message } = core.error();
    throw errorOf(code, inOurWords(message));
  }
  return optionsFromJson<RopeOptions>(read);
}
