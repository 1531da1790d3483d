/** The default entry in pages and workers: the modules are inside the JavaScript. */
import create from "ropewalk:core-glue";
import inlined from "ropewalk:core-inlined";
import { hubFilesBy } from "../hub-files.js";
import { type Load, loadOn, type Platform } from "../load.js";
import type { ModelFiles } from "../model/files/model-files.js";
import type { HubOptions } from "../model/hub/hub.js";
import { openUrl } from "../module/fetch.js";
import { unpack } from "../module/unpack-web.js";

export * from "../functions.js";
export type * from "../index.js";

const unpacked = async (file: Promise<{ default: string }>) => unpack((await file).default);

const platform: Platform = {
  open: openUrl,
  core: { glue: create, wasm: () => unpack(inlined) },
  analysis: { code: () => import("./analysis.js"), wasm: () => unpacked(import("ropewalk:analysis-inlined")) },
  model: { code: () => import("./model.js"), wasm: () => unpacked(import("ropewalk:model-inlined")) },
  decoder: { code: () => import("./decoder.js"), wasm: () => unpacked(import("ropewalk:decoder-inlined")) },
  train: { code: () => import("./train.js"), wasm: () => unpacked(import("ropewalk:train-inlined")) },
  relaxed: () => unpacked(import("ropewalk:relaxed-inlined")),
  parallel: () => import("./parallel.js"),
};

/**
 * Loads the WebAssembly module and resolves with the object that makes ropes, tensors, models and trainers. Nothing
 * happens before the first call; further calls with the same options give the same object. Works in pages, workers, Node,
 * Deno, Bun and edge runtimes.
 *
 * @param options which parts to load, and other places to load them from. By default the package brings its own module
 *   and loads what models and analysis need when they are first used.
 * @throws Error, as a rejection, when a module cannot be fetched or compiled; the next call tries again.
 * @throws RangeError or TypeError, as a rejection, for an option that is not allowed.
 * @example
 * const ropewalk = await load();
 * const rope = ropewalk.rope({ headDim: 64 });
 * const rotated = rope.rotate(queries, { sequence: 128, heads: 12 });
 */
export const load: Load = (options) => loadOn(platform, options);

/**
 * Files of a model on a hub, fetched when they are asked for: `endpoint/owner/name/resolve/revision/file`.
 *
 * @param repository "owner/name".
 * @param options `revision`, `file`, `endpoint`, `cache` and `fetch`; see {@link HubOptions}.
 * @throws RangeError for a name that no repository has.
 * @example
 * const model = await ropewalk.encoder(hubFiles("sentence-transformers/all-MiniLM-L6-v2", { cache: true }));
 */
export function hubFiles(repository: string, options?: HubOptions): ModelFiles {
  return hubFilesBy(() => import("./hub.js"), repository, options);
}
