/** A worker that runs a module of models in the memory of the thread that calls: bindings/embind/threads.cpp. */
import { installInt8 } from "../module/int8.js";
import type { ThreadPlace } from "../module/threads.js";

const never = (): never => {
  throw new Error("a thread calls nothing of the host");
};

/** The function that serves until it fails, and never ends. */
export async function makeThread(place: ThreadPlace): Promise<() => void> {
  const { module, memory, relaxed, stack, int8Stack, restore, serve, fail, thread } = place;
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = kind === "memory" ? memory : never;
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  const table = Object.values(exports).find((each) => each instanceof WebAssembly.Table)!;
  if (relaxed !== undefined) await installInt8(relaxed, memory, table, int8Stack);
  table.get(restore)(stack);
  return () => {
    try {
      table.get(serve)(thread);
    } catch (error) {
      table.get(restore)(stack);
      table.get(fail)(thread);
      throw error;
    }
  };
}
