/** What node.ts loads when the first RoFormer is asked for. */
import create from "ropewalk:model-glue";
import inlined from "ropewalk:model-inlined";
import type { WasmSource } from "../core/compile.js";
import { openLocation } from "../core/open-node.js";
import { unpack } from "../core/unpack-node.js";
import { type ModelRoom, openRoom } from "../model-room.js";

export function openModelRoom(wasm?: WasmSource): Promise<ModelRoom> {
  return openRoom({ glue: create, wasm: () => unpack(inlined) }, openLocation, wasm);
}
