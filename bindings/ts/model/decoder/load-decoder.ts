/** A decoder's weights on their way into the module, and what they will take there. */
import type { Core } from "../../module/core.js";
import type { NativeDecoder, NativeDecoderLoader, NativeDecoding } from "../../module/native.js";
import { PRECISIONS } from "../../module/numbers.js";
import type { ByteStream } from "../../module/platform.js";
import type { LoadProgress } from "../../module/receive.js";
import type { Json } from "../files/read.js";
import { loadFrom, sizeOf } from "../files/stream-weights.js";
import { cancelUnread } from "../files/weights.js";
import { isOtherKind, type SizeOf } from "../model-size.js";
import { Pace } from "../text/pace.js";
import { type DecoderFiles, readDecoderFiles } from "./read-decoder.js";

function makeLoader(core: Core<NativeDecoding>, files: DecoderFiles, count: number): NativeDecoderLoader {
  const { fn, json, precision, context, screen } = files;
  const loader = core.withText(fn, "`config`", json, (address, size) =>
    core.native.makeDecoderLoader(address, size, count, PRECISIONS.indexOf(precision), context, screen),
  );
  if (loader === null) throw core.failureOfFile(fn);
  return loader;
}

function loaderOf(core: Core<NativeDecoding>, files: DecoderFiles, streams: readonly ByteStream[]) {
  try {
    return makeLoader(core, files, streams.length);
  } catch (error) {
    for (const stream of streams) cancelUnread(stream);
    throw error;
  }
}

/** With the metadata of a GGUF file about its vocabulary, if it is requested. */
export async function loadDecoder(
  core: Core<NativeDecoding>,
  files: DecoderFiles,
  progress: LoadProgress,
  wantsVocabulary: boolean,
): Promise<{ native: NativeDecoder; vocabulary: Json | undefined }> {
  const streams = await files.weights();
  const loader = loaderOf(core, files, streams);
  let vocabulary: Json | undefined;
  const afterHeaders = () => {
    if (!wantsVocabulary) return;
    if (loader.ggufTokenizer() !== 0) throw core.failureOfFile(files.fn);
    vocabulary = JSON.parse(core.text()) as Json;
  };
  const pace = new Pace();
  const beforeFinish = async () => {
    for (let left = 1; left > 0; ) {
      left = loader.prepare();
      if (left < 0) throw core.failureOfFile(files.fn);
      await pace.breathe(progress.signal ?? undefined);
    }
  };
  const native = await loadFrom(files.fn, core, loader, streams, progress, { afterHeaders, beforeFinish });
  return { native, vocabulary };
}

export const decoderSizeOn =
  (core: Core<NativeDecoding>): SizeOf =>
  async (fn, files, options) => {
    try {
      const read = await readDecoderFiles(fn, files, options);
      // Before the weights, since a configuration shows the kind of the model.
      makeLoader(core, read, 1).delete();
      const streams = await read.weights();
      return await sizeOf(fn, core, loaderOf(core, read, streams), streams, { signal: options.signal });
    } catch (error) {
      if (isOtherKind(error)) return error;
      throw error;
    }
  };
