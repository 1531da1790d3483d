/** Every entry loads this file for `analysis: true`; the entry says where the module is. */
import create from "ropewalk:analysis-glue";
import { startAnalysis } from "../analysis/open.js";
import type { ModuleSource, Open } from "../module/platform.js";

export const start = (wasm: ModuleSource, open: Open) => startAnalysis(create, wasm, open);
