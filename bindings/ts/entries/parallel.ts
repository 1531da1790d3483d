/** What a page loads when a RoFormer in several workers is asked for. */

import type { WasmSource } from "../module/compile.js";
import type { Open, Part } from "../module/platform.js";
import { openChannel } from "../parallel/channel-web.js";
import { openParallelRoom, type ParallelRoom } from "../parallel/roformer.js";

export const openRoom = (wasm: Part["wasm"], open: Open, given?: WasmSource): ParallelRoom =>
  openParallelRoom({ wasm }, open, openChannel, () => import("./model.js"), given);
