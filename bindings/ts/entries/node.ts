/** The default entry in Node: the module is inside the JavaScript. */
import create from "ropewalk:core-glue";
import inlined from "ropewalk:core-inlined";
import { openLocation } from "../core/open-node.js";
import { unpack } from "../core/unpack-node.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader({
  core: { glue: create, wasm: () => unpack(inlined) },
  open: openLocation,
  openModelRoom: async (wasm) => (await import("./model-node.js")).openModelRoom(wasm),
});
