/** The default entry in pages and workers: the module is inside the JavaScript. */
import create from "ropewalk:core-glue";
import inlined from "ropewalk:core-inlined";
import { openUrl } from "../core/fetch.js";
import { unpack } from "../core/unpack-web.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader({
  core: { glue: create, wasm: () => unpack(inlined) },
  open: openUrl,
  openModelRoom: async (wasm) => (await import("./model-web.js")).openModelRoom(wasm),
});
