/** ropewalk/external in Node: core.wasm is read from beside this file. */
import create from "ropewalk:core-glue";
import { openLocation } from "../core/open-node.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader({
  core: { glue: create, wasm: () => new URL("./core.wasm", import.meta.url) },
  open: openLocation,
  openModelRoom: async (wasm) => (await import("./model-external-node.js")).openModelRoom(wasm),
});
