/** Memory that an encoder needs. */
import type { Core } from "../module/core.js";
import type { NativeModel } from "../module/native.js";
import { configToJson } from "../module/options.js";
import { readJson } from "./files/read.js";
import { readSentenceFiles } from "./files/sentence-files.js";
import { sizeOf } from "./files/stream-weights.js";
import { openWeights } from "./files/weights.js";
import { isOtherKind, type SizeOf } from "./model-size.js";
import { makeEncoderLoader } from "./native-encoder.js";
import { precisionOf } from "./precision.js";
import { refuse } from "./refuse.js";

export const encoderSizeOn =
  (core: Core<NativeModel>): SizeOf =>
  async (fn, files, options) => {
    const precision = precisionOf(fn, options);
    if (files.gguf !== undefined) return refuse.unsupported(fn, "files", files.gguf, "an encoder in safetensors");
    const { folder } = await readSentenceFiles(fn, files);
    const name = `${folder}config.json`;
    const config = await readJson(fn, files, name);
    if (config === undefined) return refuse.missing(fn, name, files.where);
    const json = configToJson(fn, config);
    // Before the weights, since a configuration shows the kind of the model.
    const loaderOf = (count: number) => makeEncoderLoader(core, { fn, json, precision }, count);
    try {
      loaderOf(1).delete();
    } catch (error) {
      if (isOtherKind(error)) return error;
      throw error;
    }
    const streams = await openWeights(fn, files, folder);
    return sizeOf(fn, core, loaderOf(streams.length), streams, { signal: options.signal });
  };
