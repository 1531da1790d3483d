/** Memory that an encoder needs. */
import type { Core } from "../module/core.js";
import type { NativeModel } from "../module/native.js";
import { sizeOf } from "./files/stream-weights.js";
import { loadHeads } from "./load-heads.js";
import { isOtherKind, type SizeOf } from "./model-size.js";
import { makeEncoderLoader } from "./native-encoder.js";
import { precisionOf } from "./precision.js";
import { readEncoderFiles } from "./read-encoder.js";

export const encoderSizeOn =
  (core: Core<NativeModel>): SizeOf =>
  async (fn, files, options) => {
    const precision = precisionOf(fn, options);
    try {
      const { json, weights, gguf, form } = await readEncoderFiles(fn, files);
      if (form?.kind === "static") return (await loadHeads()).staticSize(fn, weights, { signal: options.signal });
      const loaderOf = (count: number) => makeEncoderLoader(core, { fn, json, precision }, count);
      // Before the weights, since a configuration shows the kind of the model.
      loaderOf(1).delete();
      const streams = await weights();
      const size = await sizeOf(fn, core, loaderOf(streams.length), streams, { signal: options.signal });
      return gguf === undefined ? size : { ...size, download: gguf.size };
    } catch (error) {
      if (isOtherKind(error)) return error;
      throw error;
    }
  };
