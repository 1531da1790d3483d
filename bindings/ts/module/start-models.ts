/** Modules of encoders and decoders, with the fastest products and in a memory that workers may share. */
import { compile } from "./compile.js";
import { Core } from "./core.js";
import type { Glue } from "./glue.js";
import { type Int8Source, int8Choice, useInt8, type Variant } from "./int8.js";
import type { NativeInt8 } from "./native.js";
import type { ModuleSource, Open } from "./platform.js";
import { type Shared, withSharedImport, withSharedMemory } from "./shared-memory.js";
import { run } from "./start.js";
import { canShare, type ThreadSource, Threads } from "./threads.js";

/** How models compute, by the options of `load()`. */
export interface Compute {
  int8: Int8Source;
  threads: ThreadSource;
}

export interface StartedModels<Native extends NativeInt8> {
  core: Core<Native>;
  variant: Variant;
  threads: Threads;
}

/** `name` is what the option is called that may replace the module. */
export async function startModelModule<Native extends NativeInt8>(
  name: string,
  glue: Glue,
  wasm: ModuleSource,
  open: Open,
  { int8, threads }: Compute,
): Promise<StartedModels<Native>> {
  if (typeof wasm === "object" && "running" in wasm) {
    const native = wasm.running as Native;
    // Natively the processor's own instructions multiply, and threads need no code.
    return { core: new Core(native), variant: "simd", threads: new Threads(native, undefined, threads) };
  }
  let shared: Shared | undefined;
  // A module that comes compiled keeps its own memory.
  const share = (bytes: Uint8Array<ArrayBuffer>) => {
    shared = withSharedMemory(bytes);
    return shared?.bytes ?? bytes;
  };
  const relaxed = int8.wasm?.();
  // Where it is missing, int8Choice tells.
  relaxed && Promise.resolve(relaxed).catch(() => {});
  const module = await compile(name, wasm, open, canShare(threads) ? share : undefined);
  const memory = shared?.memory;
  const native = (await run(glue, name, module, memory && { env: { memory } })) as Native;
  const source = relaxed === undefined ? int8 : { ...int8, wasm: () => relaxed };
  const choice = await int8Choice(source, open, memory && withSharedImport);
  const variant = await useInt8(native, choice);
  const code = memory && { module, memory, relaxed: variant === "relaxed" ? choice.module : undefined };
  return { core: new Core(native), variant, threads: new Threads(native, code, threads) };
}
