/** What every entry loads when the first RoFormer is asked for; the entry says where the module is. */
import create from "ropewalk:model-glue";
import type { WasmSource } from "../module/compile.js";
import type { Open, Part } from "../module/platform.js";
import { type Models, startModels } from "../train/open.js";

export function openModels(bytes: Part["wasm"], open: Open, wasm?: WasmSource): Promise<Models> {
  return startModels({ glue: create, wasm: bytes }, open, wasm);
}

export { loadTokenizer } from "../model/tokenizer.js";
