/** ropewalk/external in Node: core.wasm is read from beside this file. */
import create from "ropewalk:core-glue";
import { type Load, loader } from "../load.js";
import { openLocation } from "../module/open-node.js";
import { unpack } from "../module/unpack-node.js";

export * from "../functions.js";
export type * from "../index.js";

export const load: Load = loader({
  core: { glue: create, wasm: () => new URL("./core.wasm", import.meta.url) },
  open: openLocation,
  openAnalysis: async () => (await import("./analysis.js")).openAnalysis(unpack, openLocation),
  openModels: async (wasm) =>
    (await import("./model.js")).openModels(() => new URL("./model.wasm", import.meta.url), openLocation, wasm),
  openParallelModels: async (wasm) =>
    (await import("./parallel-node.js")).openParallel(
      () => new URL("./model.wasm", import.meta.url),
      openLocation,
      wasm,
    ),
});
