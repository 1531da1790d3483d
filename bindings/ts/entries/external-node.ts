/** ropewalk/external in Node: modules are read from beside this file. */
import create from "ropewalk:core-glue";
import { hubFilesBy } from "../hub-files.js";
import { type Load, loadOn, type Platform } from "../load.js";
import type { ModelFiles } from "../model/files/model-files.js";
import type { HubOptions } from "../model/hub/hub.js";
import { findNative } from "../module/native-node.js";
import { openLocation } from "../module/open-node.js";

export * from "../functions.js";
export type * from "../index.js";

const platform: Platform = {
  open: openLocation,
  core: { glue: create, wasm: () => new URL("./core.wasm", import.meta.url) },
  analysis: { code: () => import("./analysis.js"), wasm: () => new URL("./analysis.wasm", import.meta.url) },
  model: { code: () => import("./model.js"), wasm: () => new URL("./model.wasm", import.meta.url) },
  decoder: { code: () => import("./decoder.js"), wasm: () => new URL("./decoder.wasm", import.meta.url) },
  train: { code: () => import("./train.js"), wasm: () => new URL("./train.wasm", import.meta.url) },
  relaxed: () => new URL("./relaxed.wasm", import.meta.url),
  native: () => findNative(import.meta.url),
  parallel: () => import("./parallel-node.js"),
};

export const load: Load = (options) => loadOn(platform, options);

export function hubFiles(repository: string, options?: HubOptions): ModelFiles {
  return hubFilesBy(() => import("./hub-node.js"), repository, options);
}
