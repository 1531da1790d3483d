/** Computes a model's needs before it is loaded, from its configuration and the headers of its weights. */
import type { Core } from "../module/core.js";
import { optionsObject } from "../module/errors.js";
import type { NativeModel } from "../module/native.js";
import { configToJson } from "../module/options.js";
import type { Open } from "../module/platform.js";
import { filesOf, type ModelFiles } from "./files/model-files.js";
import { needed, readJson } from "./files/read.js";
import { readSentenceFiles } from "./files/sentence-files.js";
import { type ModelSize, sizeOf } from "./files/stream-weights.js";
import { openWeights } from "./files/weights.js";
import { makeEncoderLoader } from "./native-encoder.js";
import { precisionOf } from "./precision.js";
import type { ModelOptions } from "./read-encoder.js";

export async function modelSize(
  core: Core<NativeModel>,
  source: ModelFiles,
  open: Open,
  options: ModelOptions,
): Promise<ModelSize> {
  const fn = "modelSize";
  const { signal } = optionsObject(fn, "options", options);
  const precision = precisionOf(fn, options);
  signal?.throwIfAborted();
  const files = filesOf(fn, source, open, signal);
  const { folder } = await readSentenceFiles(fn, files);
  const name = `${folder}config.json`;
  const json = configToJson(fn, await needed(fn, files, name, readJson(fn, files, name)));
  const streams = await openWeights(fn, files, folder);
  return sizeOf(core, makeEncoderLoader(core, { fn, json, precision }, streams.length), streams, { signal });
}
