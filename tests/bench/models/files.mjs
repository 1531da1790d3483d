// The files that the engines read, written once into build/bench/models: they hold nothing that models/weights.mjs does
// not make again.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { decoderGraph, decoderParameters } from "../decoders/files.mjs";
import { decoderGguf } from "../decoders/gguf.mjs";
import { modelGraph } from "./graphs.mjs";
import { parametersOf } from "./parameters.mjs";
import { configOf, MODELS } from "./shapes.mjs";
import { bfloat16 } from "./weights.mjs";
import { vocabulary } from "./words.mjs";

/** Part of the folder's name: to be raised with every change of what the files hold. */
const EDITION = 1;

/** Names of ONNX files: [precision, form]. */
export const GRAPHS = [
  ["float32", "fused"],
  ["int8", "exported"],
  ["int8", "fused"],
];

export const modelsFolder = (folder) => join(folder, `models-${EDITION}`);

/** Writes a file unless it is there; `note(name)` as it begins. */
export function writeFile(folder, note, name, parts) {
  const path = join(folder, name);
  if (existsSync(path)) return;
  note(name);
  mkdirSync(dirname(path), { recursive: true });
  writeParts(path, parts());
}

export function writeDecoder(folder, note) {
  writeFile(folder, note, "smollm2/model.safetensors", () => safetensors(decoderParameters(), true));
  writeFile(folder, note, "smollm2/int8.onnx", decoderGraph);
  writeFile(folder, note, "smollm2/q8_0.gguf", decoderGguf);
}

export function writeModels(folder, note) {
  for (const [name, shape] of Object.entries(MODELS)) {
    const write = (file, parts) => writeFile(folder, note, `${name}/${file}`, parts);
    write("config.json", () => [Buffer.from(JSON.stringify(configOf(name)))]);
    write("model.safetensors", () => safetensors(parametersOf(name, shape), name === "modernbert"));
    for (const [precision, form] of GRAPHS) {
      const how = { int8: precision === "int8", fused: form === "fused" };
      write(`${precision}-${form}.onnx`, () => modelGraph(name, how));
    }
    if (name === "minilm") write("vocab.txt", () => [Buffer.from(vocabulary(shape.vocabulary))]);
  }
}

/** Under another name until it is whole. */
function writeParts(path, parts) {
  const unfinished = `${path}.part`;
  const file = openSync(unfinished, "w");
  try {
    for (const part of parts) for (let done = 0; done < part.length; ) done += writeSync(file, part, done);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}

/** A checkpoint's pieces. `half`: matrices in bfloat16, which holds these weights exactly. */
export function* safetensors(parameters, half) {
  const header = {};
  let at = 0;
  const typed = parameters.map((each) => ({ ...each, dtype: half && each.shape.length === 2 ? "BF16" : "F32" }));
  for (const { name, shape, dtype } of typed) {
    const bytes = shape.reduce((product, each) => product * each, dtype === "BF16" ? 2 : 4);
    header[name] = { dtype, shape, data_offsets: [at, at + bytes] };
    at += bytes;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  yield length;
  yield text;
  for (const { values, dtype } of typed) {
    const numbers = dtype === "BF16" ? bfloat16(values()) : values();
    yield new Uint8Array(numbers.buffer);
  }
}
