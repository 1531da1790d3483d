/** Decoders: a WebAssembly module with a memory of its own, opened when the first decoder is asked for. */

import type { MemoryStats } from "../../module/core.js";
import type { Glue } from "../../module/glue.js";
import type { Variant } from "../../module/int8.js";
import type { NativeDecoding } from "../../module/native.js";
import type { Open, WasmSource } from "../../module/platform.js";
import { type Means, startModelModule } from "../../module/start-models.js";
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
  /** Threads of a call. */
  readonly threads: number;
}

export async function startDecoders(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  means: Means,
  loadTokenizer: LoadTokenizer,
): Promise<Decoders> {
  const started = await startModelModule<NativeDecoding>("decoderWasm", glue, wasm, open, means);
  const { core, variant, threads } = started;
  const sizeOf = decoderSizeOn(core);
  return {
    decoder: (files, options = {}) =>
      withReason(
        readDecoder(files, open, loadTokenizer, options).then(async (parts) => {
          const decoder = await openDecoder(core, parts, options);
          threads.begin(decoder.parameterCount);
          return decoder;
        }),
        options.signal,
      ),
    modelSize: (files, options = {}, other) =>
      modelSize(files, open, options, sizeOf, async () => (await other()).sizeOf),
    sizeOf,
    stats: () => core.stats(),
    variant,
    get threads() {
      return threads.count;
    },
  };
}
