/** Both entries in workerd (Cloudflare Workers), which compiles no bytes: an import of a .wasm file is a compiled module. */

import core from "ropewalk:core-compiled";
import create from "ropewalk:core-glue";
import { hubFilesBy } from "../hub-files.js";
import { type Load, loadOn, type Platform } from "../load.js";
import type { ModelFiles } from "../model/files/model-files.js";
import type { HubOptions } from "../model/hub/hub.js";
import { openUrl } from "../module/fetch.js";

export * from "../functions.js";
export type * from "../index.js";

const platform: Platform = {
  open: openUrl,
  core: { glue: create, wasm: () => core },
  analysis: {
    code: () => import("./analysis.js"),
    wasm: async () => (await import("ropewalk:analysis-compiled")).default,
  },
  model: { code: () => import("./model.js"), wasm: async () => (await import("ropewalk:model-compiled")).default },
  decoder: {
    code: () => import("./decoder.js"),
    wasm: async () => (await import("ropewalk:decoder-compiled")).default,
  },
  train: { code: () => import("./train.js"), wasm: async () => (await import("ropewalk:train-compiled")).default },
  parallel: () => import("./parallel.js"),
};

export const load: Load = (options) => loadOn(platform, options);

export function hubFiles(repository: string, options?: HubOptions): ModelFiles {
  return hubFilesBy(() => import("./hub.js"), repository, options);
}
