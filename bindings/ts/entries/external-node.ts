/** ropewalk/external in Node: core.wasm is read from beside this file. */
import createCore from "ropewalk:glue";
import { platform } from "../core/external-node.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader(createCore, platform);
