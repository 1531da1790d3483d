/** Decoders: a WebAssembly module with a memory of its own, opened when the first decoder is asked for. */

import { Core, type MemoryStats } from "../../module/core.js";
import type { Glue } from "../../module/glue.js";
import { type Int8Source, int8Choice, useInt8, type Variant } from "../../module/int8.js";
import type { NativeDecoding } from "../../module/native.js";
import type { Open, WasmSource } from "../../module/platform.js";
import { start } from "../../module/start.js";
import { withReason } from "../cancel.js";
import type { ModelFiles } from "../files/model-files.js";
import type { ModelSize } from "../files/stream-weights.js";
import { modelSize, type SizeOf } from "../model-size.js";
import type { LoadTokenizer } from "../text/tokenizer.js";
import { openDecoder } from "./decoder.js";
import { decoderSizeOn } from "./load-decoder.js";
import { readDecoder } from "./read-decoder.js";
import type { Decoder, DecoderOptions } from "./surface.js";

export interface Decoders {
  decoder(files: ModelFiles, options?: DecoderOptions): Promise<Decoder>;
  /** `other` is that of encoders. */
  modelSize(
    files: ModelFiles,
    options: DecoderOptions | undefined,
    other: () => Promise<{ sizeOf: SizeOf }>,
  ): Promise<ModelSize>;
  sizeOf: SizeOf;
  stats(): MemoryStats;
  /** The variant that models in int8 use. */
  variant: Variant;
}

export async function startDecoders(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  int8: Int8Source,
  loadTokenizer: LoadTokenizer,
): Promise<Decoders> {
  const [native, choice] = await Promise.all([start(glue, open, "decoderWasm", wasm), int8Choice(int8, open)]);
  const core = new Core(native as NativeDecoding);
  const variant = await useInt8(core.native, choice);
  const sizeOf = decoderSizeOn(core);
  return {
    decoder: (files, options = {}) =>
      withReason(
        readDecoder(files, open, loadTokenizer, options).then((parts) => openDecoder(core, parts, options)),
        options.signal,
      ),
    modelSize: (files, options = {}, other) =>
      modelSize(files, open, options, sizeOf, async () => (await other()).sizeOf),
    sizeOf,
    stats: () => core.stats(),
    variant,
  };
}
