/** The part that a module of encoders and a module of decoders have in common. */

import type { Core, MemoryStats } from "../module/core.js";
import type { Glue } from "../module/glue.js";
import type { Variant } from "../module/int8.js";
import type { NativeInt8 } from "../module/native.js";
import type { ModuleSource, Open } from "../module/platform.js";
import { type Compute, startModelModule } from "../module/start-models.js";
import { withReason } from "./cancel.js";
import type { DecoderOptions } from "./decoder/surface.js";
import type { ModelFiles } from "./files/model-files.js";
import type { ModelSize } from "./files/stream-weights.js";
import { modelSize, type SizeOf } from "./model-size.js";

/** The members for users. */
export interface ModelModule {
  /** `other` is the module of the other kind. */
  modelSize(
    files: ModelFiles,
    options: DecoderOptions | undefined,
    other: () => Promise<ModelModule>,
  ): Promise<ModelSize>;
  sizeOf: SizeOf;
  stats(): MemoryStats;
  /** The variant that models in int8 use. */
  variant: Variant;
  /** Threads of a call. */
  readonly threads: number;
}

interface Begun<Native extends NativeInt8> {
  core: Core<Native>;
  members: ModelModule;
  /** The model, once it is open and its calls have their threads. */
  opened<Model extends { parameterCount: number }>(
    model: Promise<Model>,
    signal: AbortSignal | undefined,
  ): Promise<Model>;
}

/** `name` is what the option is called that may replace the module. */
export async function beginModelModule<Native extends NativeInt8>(
  name: string,
  glue: Glue,
  wasm: ModuleSource,
  open: Open,
  compute: Compute,
  sizeOn: (core: Core<Native>) => SizeOf,
): Promise<Begun<Native>> {
  const { core, variant, threads } = await startModelModule<Native>(name, glue, wasm, open, compute);
  const sizeOf = sizeOn(core);
  return {
    core,
    members: {
      modelSize: (files, options = {}, other) =>
        modelSize(files, open, options, sizeOf, async () => (await other()).sizeOf),
      sizeOf,
      stats() {
        const stats = core.stats();
        // Threads are no objects: they start at any time, and stay.
        return { ...stats, heapBytes: stats.heapBytes - threads.bytes };
      },
      variant,
      get threads() {
        return threads.count;
      },
    },
    opened: (model, signal) =>
      withReason(
        model.then((ready) => {
          threads.begin(ready.parameterCount);
          return ready;
        }),
        signal,
      ),
  };
}
