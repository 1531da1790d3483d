/** What web.ts loads when the first RoFormer is asked for. */
import create from "ropewalk:model-glue";
import inlined from "ropewalk:model-inlined";
import type { WasmSource } from "../core/compile.js";
import { openUrl } from "../core/fetch.js";
import { unpack } from "../core/unpack-web.js";
import { type ModelRoom, openRoom } from "../model-room.js";

export function openModelRoom(wasm?: WasmSource): Promise<ModelRoom> {
  return openRoom({ glue: create, wasm: () => unpack(inlined) }, openUrl, wasm);
}
