/** What external-node.ts loads when the first RoFormer is asked for. */
import create from "ropewalk:model-glue";
import type { WasmSource } from "../core/compile.js";
import { openLocation } from "../core/open-node.js";
import { type ModelRoom, openRoom } from "../model-room.js";

export function openModelRoom(wasm?: WasmSource): Promise<ModelRoom> {
  return openRoom({ glue: create, wasm: () => new URL("./model.wasm", import.meta.url) }, openLocation, wasm);
}
