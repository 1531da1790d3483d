/** The readings of one configuration by each reader. */
import type { Core } from "../../module/core.js";
import { quoted } from "../../module/errors.js";
import type { NativeAnalysis } from "../../module/native.js";
import { configToJson } from "../../module/options.js";
import { PAIRINGS, type Pairing } from "../../rope/pairing.js";
import { defaultsOf } from "./families.js";
import { isObject, type Json, longestOf, type Model, optionalNumber } from "./model.js";
import type { Read } from "./reader.js";
import { emulated } from "./readers/index.js";
import { readStrictly } from "./readers/ropewalk.js";
import { layerTypesOf } from "./readers/transformers.js";
import type { Reader, RopeReading } from "./report.js";
import { Refusal } from "./rules.js";

/** A reading, and what a table alone can tell of its rule. */
export interface Found {
  reading: RopeReading;
  options: Record<string, unknown>;
}

export interface Readings {
  found: Found[];
  refusals: { reader: Reader; message: string }[];
}

/** Families whose classes do more than the readers here follow: layers without rotation, NTK-alpha, other heads. */
const PECULIAR =
  /^(cohere2|exaone4|exaone_moe|llama4|deepseek_v32|deepseek_v4|hunyuan|gemma3n|gemma4|ernie4_5_vl|dinov3_vit|pixtral)/;

const SLIDING = ["rope.freq_base_swa", "rope.dimension_count_swa", "attention.key_length_swa"];

export function modelOf(config: Json, context: number | undefined): Model {
  const architecture = config["general.architecture"];
  if (typeof architecture === "string") {
    const length = context ?? optionalNumber(config, `${architecture}.context_length`) ?? 8192;
    return { config, modelType: architecture, gguf: true, context: length, layerType: undefined };
  }
  const text = isObject(config.text_config) ? config.text_config : config;
  const type = text.model_type ?? config.model_type;
  return {
    config: text,
    modelType: typeof type === "string" ? type : "",
    gguf: false,
    context: context ?? longestOf(text) ?? 8192,
    layerType: undefined,
  };
}

/** The types of layers that may rotate differently. */
export function layerTypes({ config, gguf, modelType }: Model): readonly string[] {
  if (!gguf) return layerTypesOf(config, defaultsOf(modelType));
  const sliding = SLIDING.some((key) => config[`${modelType}.${key}`] !== undefined);
  return sliding ? ["full_attention", "sliding_attention"] : [];
}

/**
 * As the strict reader knows it: the classes of Transformers have no other source than the model's name. A name that is
 * not known is not emulated either, since its class may do anything.
 */
function pairingOf(core: Core<NativeAnalysis>, { config, modelType }: Model): Pairing {
  const { rope_interleave, rotary_emb_interleaved } = config;
  const asked = { head_dim: 2, model_type: modelType || null, rope_interleave, rotary_emb_interleaved };
  const read = core.native.readConfig(configToJson("checkRope", asked), false, 0, "", -1);
  if (PECULIAR.test(modelType) || read === "") {
    throw new Refusal(`\`model_type\` is ${quoted(modelType)}, whose class is not emulated`);
  }
  return (JSON.parse(read) as { options: { pairing?: Pairing } }).options.pairing ?? PAIRINGS[0]!;
}

function readAs(core: Core<NativeAnalysis>, whole: Json, model: Model, reader: Reader): Found {
  const { layerType } = model;
  const strict = reader === "ropewalk" || (reader === "llama.cpp" && model.gguf);
  const pairing = strict ? undefined : pairingOf(core, model);
  const read: Read & { pairing?: Pairing } = strict ? readStrictly(core, whole, model) : emulated[reader].read(model);
  const source = strict ? "ropewalk, its strict reader" : emulated[reader].source;
  const { rule, base, magnitude, notes, softmaxScale, layersWithoutRotation, options } = read;
  if (!read.frequencies.every(Number.isFinite)) throw new Refusal("the frequencies are not finite");
  const reading: RopeReading = {
    reader,
    source,
    ...(layerType === undefined ? {} : { layerType }),
    base,
    rule,
    pairing: read.pairing ?? pairing ?? "half",
    magnitude,
    frequencies: Float64Array.from(read.frequencies),
    notes,
    ...(softmaxScale === undefined ? {} : { softmaxScale }),
    ...(layersWithoutRotation === undefined ? {} : { layersWithoutRotation }),
  };
  return { reading, options };
}

export function readAll(
  core: Core<NativeAnalysis>,
  whole: Json,
  model: Model,
  types: readonly (string | undefined)[],
  readers: readonly Reader[],
): Readings {
  const found: Found[] = [];
  const refusals: Readings["refusals"] = [];
  for (const reader of readers) {
    const messages = new Set<string>();
    for (const layerType of types) {
      try {
        found.push(readAs(core, whole, { ...model, layerType }, reader));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        messages.add(error.message);
      }
    }
    for (const message of messages) refusals.push({ reader, message });
  }
  return { found, refusals };
}
