/** The readings of one configuration by each reader. */
import type { Core } from "../../module/core.js";
import type { NativeAnalysis } from "../../module/native.js";
import { Sheet } from "./facts.js";
import { lengthOf } from "./length.js";
import { isObject, type Json, type Model } from "./model.js";
import type { Read } from "./reader.js";
import { emulated } from "./readers/index.js";
import { hasSlidingRope } from "./readers/llama-cpp-gguf.js";
import { readStrictly, refuseArchitecture } from "./readers/ropewalk.js";
import { layerTypesOf } from "./readers/transformers.js";
import type { Reader, RopeReading } from "./report.js";
import { Absence, Refusal } from "./rules.js";

/** A reading, and what a table alone can tell of its rule. */
export interface Found {
  reading: RopeReading;
  options: Record<string, unknown>;
  /** The layers or texts that the table is of, where there are several: " in its sliding_attention layers". */
  whose?: string;
}

export interface Readings {
  found: Found[];
  refusals: { reader: Reader; message: string }[];
  /** Readers that do not have the family. */
  absences: { reader: Reader; message: string }[];
}

const SLIDING = ["rope.freq_base_swa", "rope.dimension_count_swa", "attention.key_length_swa"];

const sheets = new WeakMap<object, Sheet>();

/** The sheet of facts is part of the module. */
function sheetOf(core: Core<NativeAnalysis>): Sheet {
  let sheet = sheets.get(core);
  if (sheet === undefined) {
    core.native._ropewalk_facts();
    sheet = new Sheet(core.text());
    sheets.set(core, sheet);
  }
  return sheet;
}

export function modelOf(core: Core<NativeAnalysis>, config: Json, context: number | undefined): Model {
  const architecture = config["general.architecture"];
  const gguf = typeof architecture === "string";
  const text = !gguf && isObject(config.text_config) ? config.text_config : config;
  // Transformers of diffusers have a class in the place of a type.
  const type = gguf ? architecture : (text.model_type ?? config.model_type ?? config._class_name);
  const sheet = sheetOf(core);
  const named = typeof type === "string" ? type : "";
  const facts = sheet.of(named);
  // A multimodal file that keeps the keys of its text model beside its own.
  const modelType = gguf ? named : (facts?.type ?? named);
  const { tokens, from } = lengthOf(text, modelType, facts, context);
  return { config: text, modelType, sheet, gguf, context: tokens, contextFrom: from, layerType: undefined };
}

/** The types of layers that may rotate differently. */
export function layerTypes(model: Model): readonly string[] {
  const { config, gguf, modelType } = model;
  if (!gguf) return layerTypesOf(model);
  const sliding = SLIDING.some((key) => config[`${modelType}.${key}`] !== undefined);
  return sliding || hasSlidingRope(modelType, config) ? ["full_attention", "sliding_attention"] : [];
}

function readAs(core: Core<NativeAnalysis>, whole: Json, model: Model, reader: Reader): Found {
  const { layerType } = model;
  const strict = reader === "ropewalk";
  if (model.gguf && reader === "llama.cpp") refuseArchitecture(core, whole);
  const read: Read = strict ? readStrictly(core, whole, model) : emulated[reader].read(model);
  const source = strict ? "ropewalk, its strict reader" : emulated[reader].source;
  const { rule, base, magnitude, notes, softmaxScale, layersWithoutRotation, options } = read;
  if (!read.frequencies.every(Number.isFinite)) throw new Refusal("the frequencies are not finite");
  const reading: RopeReading = {
    reader,
    source,
    ...(layerType === undefined ? {} : { layerType }),
    base,
    rule,
    pairing: read.pairing ?? "half",
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
  const absences: Readings["absences"] = [];
  for (const reader of readers) {
    const messages = new Set<string>();
    let absent = false;
    const begun = found.length;
    for (const layerType of types) {
      try {
        found.push(readAs(core, whole, { ...model, layerType }, reader));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        messages.add(error.message);
        absent ||= error instanceof Absence;
      }
    }
    // Layers of one type are no model: a class that cannot be built for the others refuses the file.
    if (messages.size > 0) found.splice(begun);
    for (const message of messages) (absent ? absences : refusals).push({ reader, message });
  }
  return { found, refusals, absences };
}
