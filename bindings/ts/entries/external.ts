/** ropewalk/external in pages and workers: core.wasm is a file of its own, compiled while it arrives. */
import createCore from "ropewalk:glue";
import { platform } from "../core/external-web.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader(createCore, platform);
