/** Every entry loads this file when the first model is asked for; the entry says where the module is. */
import create from "ropewalk:model-glue";
import { startModels } from "../model/open.js";
import type { LoadTokenizer } from "../model/text/tokenizer.js";
import type { ModuleSource, Open } from "../module/platform.js";
import type { Compute } from "../module/start-models.js";

const loadTokenizer: LoadTokenizer = async (source) => (await import("./tokenizers.js")).loadTokenizer(source);

export const start = (wasm: ModuleSource, open: Open, compute: Compute) =>
  startModels(create, wasm, open, compute, loadTokenizer);
