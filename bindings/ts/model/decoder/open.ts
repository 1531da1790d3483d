/** Decoders: a WebAssembly module with a memory of its own, opened when the first decoder is asked for. */

import type { Glue } from "../../module/glue.js";
import type { NativeDecoding } from "../../module/native.js";
import type { ModuleSource, Open } from "../../module/platform.js";
import type { Compute } from "../../module/start-models.js";
import type { ModelFiles } from "../files/model-files.js";
import { beginModelModule, type ModelModule } from "../model-module.js";
import { knownOptions } from "../options.js";
import { openDecoder } from "./decoder.js";
import { decoderSizeOn } from "./load-decoder.js";
import { type LoadLater, readDecoder } from "./read-decoder.js";
import type { Decoder, DecoderOptions } from "./surface.js";

const OPTIONS = ["precision", "context", "screen", "onProgress", "signal"];

export interface Decoders extends ModelModule {
  decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder>;
}

export async function startDecoders(
  glue: Glue,
  wasm: ModuleSource,
  open: Open,
  compute: Compute,
  later: LoadLater,
): Promise<Decoders> {
  const begun = await beginModelModule<NativeDecoding>("decoderWasm", glue, wasm, open, compute, decoderSizeOn);
  const { core, members, opened } = begun;
  return Object.assign(members, {
    decoder: (files: ModelFiles, options: DecoderOptions = {}) => {
      knownOptions("decoder", options, OPTIONS);
      return opened(
        readDecoder(files, open, later, options).then((parts) => openDecoder(core, parts, options)),
        options.signal,
      );
    },
  });
}
