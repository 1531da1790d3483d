/** The default entry in pages and workers: the module is inside the JavaScript. */
import create from "ropewalk:core-glue";
import inlined from "ropewalk:core-inlined";
import { type Load, loader } from "../load.js";
import { openUrl } from "../module/fetch.js";
import { unpack } from "../module/unpack-web.js";

export * from "../functions.js";
export type * from "../index.js";

export const load: Load = loader({
  core: { glue: create, wasm: () => unpack(inlined) },
  open: openUrl,
  openAnalysis: async () => (await import("./analysis.js")).openAnalysis(unpack, openUrl),
  openModels: async (wasm) => {
    const bytes = wasm === undefined ? import("ropewalk:model-inlined") : undefined;
    const [{ openModels }, inlined] = await Promise.all([import("./model.js"), bytes]);
    return openModels(() => unpack(inlined!.default), openUrl, wasm);
  },
  openParallelModels: async (wasm) => {
    const bytes = wasm === undefined ? import("ropewalk:model-inlined") : undefined;
    const [{ openParallel }, inlined] = await Promise.all([import("./parallel.js"), bytes]);
    return openParallel(() => unpack(inlined!.default), openUrl, wasm);
  },
});
