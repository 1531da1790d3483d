/**
 * The default entry in Node: core.wasm is read from beside this file, in a fifth of the time that the module inside the
 * JavaScript takes to unpack. That one serves bundles, which leave core.wasm behind.
 */
import create from "ropewalk:core-glue";
import size from "ropewalk:core-size";
import { type Load, loader } from "../load.js";
import { readBeside } from "../module/beside.js";
import { openLocation } from "../module/open-node.js";
import { unpack } from "../module/unpack-node.js";

export * from "../functions.js";
export type * from "../index.js";

export const load: Load = loader({
  core: {
    glue: create,
    wasm: async () =>
      readBeside(() => new URL("./core.wasm", import.meta.url), size) ??
      unpack((await import("ropewalk:core-inlined")).default),
  },
  open: openLocation,
  openAnalysis: async () => (await import("./analysis.js")).openAnalysis(unpack, openLocation),
  openModels: async (wasm) => {
    const bytes = wasm === undefined ? import("ropewalk:model-inlined") : undefined;
    const [{ openModels }, inlined] = await Promise.all([import("./model.js"), bytes]);
    return openModels(() => unpack(inlined!.default), openLocation, wasm);
  },
  openParallelModels: async (wasm) => {
    const bytes = wasm === undefined ? import("ropewalk:model-inlined") : undefined;
    const [{ openParallel }, inlined] = await Promise.all([import("./parallel-node.js"), bytes]);
    return openParallel(() => unpack(inlined!.default), openLocation, wasm);
  },
});
