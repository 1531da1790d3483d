/** Decoders: a WebAssembly module with a memory of its own, opened when the first decoder is asked for. */

import { Core, type MemoryStats } from "../../module/core.js";
import type { Glue } from "../../module/glue.js";
import type { NativeDecoding } from "../../module/native.js";
import type { Open, WasmSource } from "../../module/platform.js";
import { start } from "../../module/start.js";
import { withReason } from "../cancel.js";
import type { ModelFiles } from "../files/model-files.js";
import type { LoadTokenizer } from "../text/tokenizer.js";
import { openDecoder } from "./decoder.js";
import { readDecoder } from "./read-decoder.js";
import type { Decoder, DecoderOptions } from "./surface.js";

export interface Decoders {
  decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder>;
  stats(): MemoryStats;
}

export async function startDecoders(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  loadTokenizer: LoadTokenizer,
): Promise<Decoders> {
  const core = new Core((await start(glue, open, "decoderWasm", wasm)) as NativeDecoding);
  return {
    decoder: (files, options = {}) =>
      withReason(
        readDecoder(files, open, loadTokenizer, options).then((parts) => openDecoder(core, parts, options)),
        options.signal,
      ),
    stats: () => core.stats(),
  };
}
