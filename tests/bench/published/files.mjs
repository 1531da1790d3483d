// The files that the page reads: published weights from the cache folder, and MiniLM's as ONNX for transformers.js, written
// from the same weights into build/bench.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fetchPublished } from "../../published/fetch.mjs";
import { MODELS } from "../../published/models.mjs";
import { writeFile } from "../models/files.mjs";
import { modelGraph } from "../models/graphs.mjs";
import { readSafetensors } from "../reference/safetensors.mjs";

/** Part of the folder's name: to be raised with every change of what the files hold. */
const EDITION = 1;

/** Half the range of 8 bits, as onnxruntime's `quantize_dynamic` takes it with `reduce_range`. */
const LEVELS = 64;

const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const rounded = (values, scale) =>
  Int8Array.from(values, (value) => Math.max(-LEVELS, Math.min(LEVELS, Math.round(value / scale))));

/** Weights of a checkpoint as RANDOM of ../models/weights.mjs gives them, in 8 bits with a scale for each output. */
function sourceOf(tensors) {
  const values = (name) => tensors[name].values;
  return {
    vector: values,
    matrix: values,
    table: values,
    matrixLevels(name, outputs, inputs) {
      const all = new Int8Array(outputs * inputs);
      const scales = new Float32Array(outputs);
      for (let o = 0; o < outputs; o++) {
        const row = values(name).subarray(o * inputs, (o + 1) * inputs);
        scales[o] = largest(row) / LEVELS;
        all.set(rounded(row, scales[o]), o * inputs);
      }
      return { values: all, scales };
    },
    tableLevels(name) {
      const scale = Math.fround(largest(values(name)) / LEVELS);
      return { values: rounded(values(name), scale), scale };
    },
  };
}

/** The folder that transformers.js reads as a published model. */
function writeRival(folder, minilm, note) {
  mkdirSync(join(folder, "onnx"), { recursive: true });
  for (const name of ["config.json", "tokenizer.json", "tokenizer_config.json"])
    copyFileSync(join(minilm, name), join(folder, name));
  let source;
  const graph = (int8) => {
    // A Buffer's slices would share all of the file.
    source ??= sourceOf(readSafetensors(new Uint8Array(readFileSync(join(minilm, "model.safetensors")))));
    return modelGraph("minilm", { int8, fused: false, source, output: "last_hidden_state" });
  };
  writeFile(folder, note, "onnx/model.onnx", () => graph(false));
  writeFile(folder, note, "onnx/model_quantized.onnx", () => graph(true));
}

/** A link to what lies in the cache, because the page's server shows one folder alone. */
function link(target, path) {
  if (existsSync(path)) rmSync(path);
  symlinkSync(target, path);
}

/** Fills a folder below `folder` and returns it; `note(name)` as a file begins. */
export async function publishedFiles(folder, note) {
  const files = join(folder, `published-${EDITION}`);
  mkdirSync(files, { recursive: true });
  const minilm = await fetchPublished("minilm", MODELS.minilm);
  const gemma = await fetchPublished("gemma", MODELS.gemma);
  link(minilm, join(files, "minilm"));
  link(gemma, join(files, "gemma"));
  writeRival(join(files, "minilm-onnx"), minilm, note);
  return files;
}
