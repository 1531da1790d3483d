/** ropewalk/external in pages and workers: modules are files of their own, compiled while they arrive. */
import create from "ropewalk:core-glue";
import { hubFilesBy } from "../hub-files.js";
import { type Load, loadOn, type Platform } from "../load.js";
import type { ModelFiles } from "../model/files/model-files.js";
import type { HubOptions } from "../model/hub/hub.js";
import { openUrl } from "../module/fetch.js";

export * from "../functions.js";
export type * from "../index.js";

// Bundlers know `new URL` with a literal, and carry the file along.
const platform: Platform = {
  open: openUrl,
  core: { glue: create, wasm: () => new URL("./core.wasm", import.meta.url) },
  analysis: { code: () => import("./analysis.js"), wasm: () => new URL("./analysis.wasm", import.meta.url) },
  model: { code: () => import("./model.js"), wasm: () => new URL("./model.wasm", import.meta.url) },
  decoder: { code: () => import("./decoder.js"), wasm: () => new URL("./decoder.wasm", import.meta.url) },
  train: { code: () => import("./train.js"), wasm: () => new URL("./train.wasm", import.meta.url) },
  relaxed: () => new URL("./relaxed.wasm", import.meta.url),
  parallel: () => import("./parallel.js"),
};

export const load: Load = (options) => loadOn(platform, options);

export function hubFiles(repository: string, options?: HubOptions): ModelFiles {
  return hubFilesBy(() => import("./hub.js"), repository, options);
}
