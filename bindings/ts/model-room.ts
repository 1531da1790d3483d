/** The room of the models: a module and a memory of their own, opened when the first model is asked for. */

import type { WasmSource } from "./core/compile.js";
import type { Open, Part } from "./core/platform.js";
import { start } from "./core/start.js";
import { Core } from "./core.js";
import type { NativeModel } from "./module.js";
import type { LoadProgress } from "./receive.js";
import { loadRoFormer, type RoFormer, type RoFormerSource } from "./roformer.js";
import { makeTask, type Task, type TaskOptions } from "./task.js";
import { makeTrainer, type Trainer, type TrainerOptions } from "./trainer.js";

export interface ModelRoom {
  roformer(source: RoFormerSource, progress?: LoadProgress): Promise<RoFormer>;
  trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer>;
  task(options?: TaskOptions): Task;
  stats(): { handles: number; heapBytes: number };
}

export async function openRoom(part: Part, open: Open, wasm?: WasmSource): Promise<ModelRoom> {
  const core = new Core((await start(part, open, "modelWasm", wasm)) as NativeModel);
  return {
    roformer: (source, progress) => loadRoFormer(core, open, source, progress),
    trainer: (options, progress) => makeTrainer(core, open, options, progress),
    task: (options) => makeTask(core, options),
    stats: () => core.stats(),
  };
}
