/** ropewalk/external in pages and workers: core.wasm is a file of its own, compiled while it arrives. */
import create from "ropewalk:core-glue";
import { type Load, loader } from "../load.js";
import { openUrl } from "../module/fetch.js";
import { unpack } from "../module/unpack-web.js";

export * from "../functions.js";
export type * from "../index.js";

export const load: Load = loader({
  // Bundlers know this form, with the literal, and carry the file along.
  core: { glue: create, wasm: () => new URL("./core.wasm", import.meta.url) },
  open: openUrl,
  openAnalysis: async () => (await import("./analysis.js")).openAnalysis(unpack, openUrl),
  openModels: async (wasm) =>
    (await import("./model.js")).openModels(() => new URL("./model.wasm", import.meta.url), openUrl, wasm),
  openParallelModels: async (wasm) =>
    (await import("./parallel.js")).openParallel(() => new URL("./model.wasm", import.meta.url), openUrl, wasm),
});
