/** RoFormer, trainer and tasks: a WebAssembly module with a memory of its own, opened when the first model is asked for. */

import { loadRoFormer, type RoFormer, type RoFormerSource } from "../model/roformer.js";
import type { WasmSource } from "../module/compile.js";
import { Core } from "../module/core.js";
import type { NativeModel } from "../module/native.js";
import type { Open, Part } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { start } from "../module/start.js";
import { makeTask, type Task, type TaskOptions } from "./task.js";
import { makeTrainer, type Trainer, type TrainerOptions } from "./trainer.js";

export interface Models {
  roformer(source: RoFormerSource, progress?: LoadProgress): Promise<RoFormer>;
  trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer>;
  task(options?: TaskOptions): Task;
  stats(): { handles: number; heapBytes: number };
}

export async function startModels(part: Part, open: Open, wasm?: WasmSource): Promise<Models> {
  const core = new Core((await start(part, open, "modelWasm", wasm)) as NativeModel);
  return {
    roformer: (source, progress) => loadRoFormer(core, open, source, progress),
    trainer: (options, progress) => makeTrainer(core, open, options, progress),
    task: (options) => makeTask(core, options),
    stats: () => core.stats(),
  };
}
