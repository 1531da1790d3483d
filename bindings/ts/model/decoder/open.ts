/** Decoders: a WebAssembly module with a memory of its own, opened when the first decoder is asked for. */

import type { Glue } from "../../module/glue.js";
import type { NativeDecoding } from "../../module/native.js";
import type { Open, WasmSource } from "../../module/platform.js";
import type { Means } from "../../module/start-models.js";
import type { ModelFiles } from "../files/model-files.js";
import { beginModelModule, type ModelModule } from "../model-module.js";
import type { LoadTokenizer } from "../text/tokenizer.js";
import { openDecoder } from "./decoder.js";
import { decoderSizeOn } from "./load-decoder.js";
import { readDecoder } from "./read-decoder.js";
import type { Decoder, DecoderOptions } from "./surface.js";

export interface Decoders extends ModelModule {
  decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder>;
}

export async function startDecoders(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  means: Means,
  loadTokenizer: LoadTokenizer,
): Promise<Decoders> {
  const begun = await beginModelModule<NativeDecoding>("decoderWasm", glue, wasm, open, means, decoderSizeOn);
  const { core, members, opened } = begun;
  return Object.assign(members, {
    decoder: (files: ModelFiles, options: DecoderOptions = {}) =>
      opened(
        readDecoder(files, open, loadTokenizer, options).then((parts) => openDecoder(core, parts, options)),
        options.signal,
      ),
  });
}
