/** RoFormer, trainer and tasks: a WebAssembly module with a memory of its own, opened when the first model is asked for. */

import { loadRoFormer, type RoFormer, type RoFormerSource } from "../model/roformer.js";
import type { LoadTokenizer } from "../model/tokenizer.js";
import { Core } from "../module/core.js";
import type { Glue } from "../module/glue.js";
import type { NativeModel } from "../module/native.js";
import type { Open, WasmSource } from "../module/platform.js";
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

/** `loadTokenizer` is given from outside: a worker gets ids, and so does without the code that splits words. */
export async function startModels(
  glue: Glue,
  wasm: WasmSource,
  open: Open,
  loadTokenizer: LoadTokenizer,
): Promise<Models> {
  const core = new Core((await start(glue, open, "modelWasm", wasm)) as NativeModel);
  return {
    roformer: (source, progress) => loadRoFormer(core, open, loadTokenizer, source, progress),
    trainer: (options, progress) => makeTrainer(core, open, options, progress),
    task: (options) => makeTask(core, options),
    stats: () => core.stats(),
  };
}
