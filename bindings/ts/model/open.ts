/** Encoders: a WebAssembly module with a memory of its own, opened when the first model is asked for. */

import type { MemoryStats } from "../module/core.js";
import type { Glue } from "../module/glue.js";
import type { Variant } from "../module/int8.js";
import type { NativeModel } from "../module/native.js";
import type { Open, WasmSource } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { type Means, startModelModule } from "../module/start-models.js";
import { withReason } from "./cancel.js";
import type { DecoderOptions } from "./decoder/surface.js";
import { openEncoder } from "./encoder.js";
import { encoderSizeOn } from "./encoder-size.js";
import type { ModelFiles } from "./files/model-files.js";
import type { ModelSize } from "./files/stream-weights.js";
import { modelSize, type SizeOf } from "./model-size.js";
import {
  type EncoderParts,
  type ModelOptions,
  type RoFormerSource,
  readEncoder,
  readRoFormer,
} from "./read-encoder.js";
import type { Encoder } from "./text/encoder-base.js";
import type { LoadTokenizer } from "./text/tokenizer.js";

export interface Models {
  encoder(files: ModelFiles, options?: ModelOptions): Promise<Encoder>;
  roformer(source: RoFormerSource, progress?: LoadProgress): Promise<Encoder>;
  /** `other` is that of decoders. */
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

export async function startModels(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  means: Means,
  loadTokenizer: LoadTokenizer,
): Promise<Models> {
  const started = await startModelModule<NativeModel>("modelWasm", glue, wasm, open, means);
  const { core, variant, threads } = started;
  const sizeOf = encoderSizeOn(core);
  const opened = (parts: Promise<EncoderParts>, progress: LoadProgress): Promise<Encoder> =>
    withReason(
      parts.then(async (read) => {
        const encoder = await openEncoder(core, read, progress);
        threads.begin(encoder.parameterCount);
        return encoder;
      }),
      progress.signal,
    );
  return {
    encoder: (files, options = {}) => opened(readEncoder("encoder", files, open, loadTokenizer, options), options),
    roformer: (source, progress = {}) => opened(readRoFormer(source, open, loadTokenizer, progress), progress),
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
