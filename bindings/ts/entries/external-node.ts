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
  openAnalysisRoom: async () => (await import("./analysis.js")).openAnalysisRoom(unpack, openLocation),
  openModelRoom: async (wasm) =>
    (await import("./model.js")).openModelRoom(() => new URL("./model.wasm", import.meta.url), openLocation, wasm),
  openParallelRoom: async (wasm) =>
    (await import("./parallel-node.js")).openRoom(() => new URL("./model.wasm", import.meta.url), openLocation, wasm),
});
