/** Every entry loads this file when the first trainer or task is asked for; the entry says where the module is. */
import create from "ropewalk:train-glue";
import type { ModuleSource, Open } from "../module/platform.js";
import { startTraining } from "../train/open.js";

export const start = (wasm: ModuleSource, open: Open) => startTraining(create, wasm, open);
