/** Encoders: a WebAssembly module with a memory of its own, opened when the first model is asked for. */

import type { Glue } from "../module/glue.js";
import type { NativeModel } from "../module/native.js";
import type { ModuleSource, Open } from "../module/platform.js";
import type { Compute } from "../module/start-models.js";
import { openEncoder } from "./encoder.js";
import { encoderSizeOn } from "./encoder-size.js";
import type { ModelFiles } from "./files/model-files.js";
import { beginModelModule, type ModelModule } from "./model-module.js";
import { ENCODER_OPTIONS, knownOptions } from "./options.js";
import { type EncoderOptions, readEncoder } from "./read-encoder.js";
import type { Encoder } from "./text/encoder-base.js";
import type { LoadTokenizer } from "./text/tokenizer.js";

export interface Models extends ModelModule {
  encoder(files: ModelFiles, options?: EncoderOptions): Promise<Encoder>;
}

export async function startModels(
  glue: Glue,
  wasm: ModuleSource,
  open: Open,
  compute: Compute,
  loadTokenizer: LoadTokenizer,
): Promise<Models> {
  const begun = await beginModelModule<NativeModel>("modelWasm", glue, wasm, open, compute, encoderSizeOn);
  const { core, members, opened } = begun;
  return Object.assign(members, {
    encoder: (files: ModelFiles, options: EncoderOptions = {}) => {
      knownOptions("encoder", options, ENCODER_OPTIONS);
      const parts = readEncoder("encoder", files, open, loadTokenizer, options);
      return opened(
        parts.then((read) => openEncoder(core, read, options)),
        options.signal,
      );
    },
  });
}
