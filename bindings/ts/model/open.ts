/** Encoders: a WebAssembly module with a memory of its own, opened when the first model is asked for. */

import type { Glue } from "../module/glue.js";
import type { NativeModel } from "../module/native.js";
import type { Open, WasmSource } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import type { Means } from "../module/start-models.js";
import { openEncoder } from "./encoder.js";
import { encoderSizeOn } from "./encoder-size.js";
import type { ModelFiles } from "./files/model-files.js";
import { beginModelModule, type ModelModule } from "./model-module.js";
import {
  type EncoderParts,
  type ModelOptions,
  type RoFormerSource,
  readEncoder,
  readRoFormer,
} from "./read-encoder.js";
import type { Encoder } from "./text/encoder-base.js";
import type { LoadTokenizer } from "./text/tokenizer.js";

export interface Models extends ModelModule {
  encoder(files: ModelFiles, options?: ModelOptions): Promise<Encoder>;
  roformer(source: RoFormerSource, progress?: LoadProgress): Promise<Encoder>;
}

export async function startModels(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  means: Means,
  loadTokenizer: LoadTokenizer,
): Promise<Models> {
  const begun = await beginModelModule<NativeModel>("modelWasm", glue, wasm, open, means, encoderSizeOn);
  const { core, members, opened } = begun;
  const openParts = (parts: Promise<EncoderParts>, progress: LoadProgress): Promise<Encoder> =>
    opened(
      parts.then((read) => openEncoder(core, read, progress)),
      progress.signal,
    );
  return Object.assign(members, {
    encoder: (files: ModelFiles, options: ModelOptions = {}) =>
      openParts(readEncoder("encoder", files, open, loadTokenizer, options), options),
    roformer: (source: RoFormerSource, progress: LoadProgress = {}) =>
      openParts(readRoFormer(source, open, loadTokenizer, progress), progress),
  });
}
