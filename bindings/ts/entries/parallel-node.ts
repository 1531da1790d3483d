/** What Node loads when a RoFormer in several workers is asked for. */

import type { WasmSource } from "../module/compile.js";
import type { Open, Part } from "../module/platform.js";
import { openChannel } from "../parallel/channel-node.js";
import { openParallelModels, type ParallelModels } from "../parallel/roformer.js";

export const openParallel = (wasm: Part["wasm"], open: Open, given?: WasmSource): ParallelModels =>
  openParallelModels({ wasm }, open, openChannel, () => import("./model.js"), given);
