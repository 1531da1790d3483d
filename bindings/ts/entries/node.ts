/** The default entry in Node: the module is inside the JavaScript. */
import createCore from "ropewalk:glue";
import { platform } from "../core/inlined-node.js";
import { type Load, loader } from "../load.js";

export type * from "../index.js";

export const load: Load = loader(createCore, platform);
