/** What a page loads when a RoFormer in several workers is asked for. */
import { openChannel } from "../core/channel-web.js";
import type { WasmSource } from "../core/compile.js";
import type { Open, Part } from "../core/platform.js";
import { openParallelRoom, type ParallelRoom } from "../parallel/roformer.js";

export const openRoom = (wasm: Part["wasm"], open: Open, given?: WasmSource): ParallelRoom =>
  openParallelRoom({ wasm }, open, openChannel, () => import("./model.js"), given);
