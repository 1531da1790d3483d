/** ropewalk/external in pages and workers: core.wasm is a file of its own, compiled while it arrives. */
import create from "ropewalk:core-glue";
import { openUrl } from "../core/fetch.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader({
  // Bundlers know this form, with the literal, and carry the file along.
  core: { glue: create, wasm: () => new URL("./core.wasm", import.meta.url) },
  open: openUrl,
  openModelRoom: async (wasm) => (await import("./model-external.js")).openModelRoom(wasm),
});
