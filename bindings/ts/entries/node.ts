/**
 * The default entry in Node: core.wasm is read from beside this file, in a fifth of the time that the module inside the
 * JavaScript takes to unpack. That one serves bundles, which leave core.wasm behind.
 */
import create from "ropewalk:core-glue";
import size from "ropewalk:core-size";
import { hubFilesBy } from "../hub-files.js";
import { type Load, loadOn, type Platform } from "../load.js";
import type { ModelFiles } from "../model/files/model-files.js";
import type { HubOptions } from "../model/hub/hub.js";
import { readBeside } from "../module/beside.js";
import { findNative } from "../module/native-node.js";
import { openLocation } from "../module/open-node.js";
import { unpack } from "../module/unpack-node.js";

export * from "../functions.js";
export type * from "../index.js";

const unpacked = async (file: Promise<{ default: string }>) => unpack((await file).default);

const platform: Platform = {
  open: openLocation,
  core: {
    glue: create,
    wasm: async () =>
      readBeside(() => new URL("./core.wasm", import.meta.url), size) ?? unpacked(import("ropewalk:core-inlined")),
  },
  analysis: { code: () => import("./analysis.js"), wasm: () => unpacked(import("ropewalk:analysis-inlined")) },
  model: { code: () => import("./model.js"), wasm: () => unpacked(import("ropewalk:model-inlined")) },
  decoder: { code: () => import("./decoder.js"), wasm: () => unpacked(import("ropewalk:decoder-inlined")) },
  train: { code: () => import("./train.js"), wasm: () => unpacked(import("ropewalk:train-inlined")) },
  relaxed: () => unpacked(import("ropewalk:relaxed-inlined")),
  native: () => findNative(import.meta.url),
  parallel: () => import("./parallel-node.js"),
};

export const load: Load = (options) => loadOn(platform, options);

export function hubFiles(repository: string, options?: HubOptions): ModelFiles {
  return hubFilesBy(() => import("./hub-node.js"), repository, options);
}
