/** The default entry in Node: the module is inside the JavaScript. */
import create from "ropewalk:core-glue";
import inlined from "ropewalk:core-inlined";
import { openLocation } from "../core/open-node.js";
import { unpack } from "../core/unpack-node.js";
import { type Load, loader } from "../load.js";

export * from "../functions.js";
export type * from "../index.js";

export const load: Load = loader({
  core: { glue: create, wasm: () => unpack(inlined) },
  open: openLocation,
  openAnalysisRoom: async () => (await import("./analysis.js")).openAnalysisRoom(unpack, openLocation),
  openModelRoom: async (wasm) => {
    const bytes = wasm === undefined ? import("ropewalk:model-inlined") : undefined;
    const [{ openModelRoom }, inlined] = await Promise.all([import("./model.js"), bytes]);
    return openModelRoom(() => unpack(inlined!.default), openLocation, wasm);
  },
  openParallelRoom: async (wasm) => {
    const bytes = wasm === undefined ? import("ropewalk:model-inlined") : undefined;
    const [{ openRoom }, inlined] = await Promise.all([import("./parallel-node.js"), bytes]);
    return openRoom(() => unpack(inlined!.default), openLocation, wasm);
  },
});
