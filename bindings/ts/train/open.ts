/**
 * The trainer and its tasks: a WebAssembly module with a memory of its own, opened when the first of them is asked for. A
 * trained model gets into `encoder()` as the bytes that `save()` gives.
 */

import { Core, type MemoryStats } from "../module/core.js";
import type { Glue } from "../module/glue.js";
import type { NativeTraining } from "../module/native.js";
import type { ModuleSource, Open } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { start } from "../module/start.js";
import type { TaskOptions } from "./options.js";
import { makeTask, type Task } from "./task.js";
import { makeTrainer, type Trainer, type TrainerOptions } from "./trainer.js";

export interface Training {
  trainer(options: TrainerOptions, progress?: LoadProgress): Promise<Trainer>;
  task(options?: TaskOptions): Task;
  stats(): MemoryStats;
}

export async function startTraining(glue: Glue, wasm: ModuleSource, open: Open): Promise<Training> {
  const core = new Core((await start(glue, open, "trainWasm", wasm)) as NativeTraining);
  return {
    trainer: (options, progress) => makeTrainer(core, open, options, progress),
    task: (options) => makeTask(core, options),
    stats: () => core.stats(),
  };
}
