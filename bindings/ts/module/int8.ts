/**
 * The products of 8-bit integers: those of the modules of models, or those of relaxed.wasm, which work in the same memory. Both
 * give the same bits, and relaxed.wasm was the faster one in every engine that was tried. A page that is loading keeps the
 * processor too busy for a trial of their speeds.
 */
import { compile, type Edit } from "./compile.js";
import { refusal } from "./errors.js";
import type { NativeInt8 } from "./native.js";
import type { Open, OwnWasm } from "./platform.js";

/** 'simd' is fixed-width WebAssembly SIMD. 'relaxed' multiplies 8-bit integers by relaxed SIMD. */
export type Variant = "simd" | "relaxed";

/** The wish of `load()` and the place of the module; no module where the engine or the host has no use for it. */
export interface Int8Source {
  requested: "auto" | Variant;
  wasm?: OwnWasm | undefined;
}

/** The same with the module, which can be posted to workers. */
export interface Int8Choice {
  requested: "auto" | Variant;
  module?: WebAssembly.Module | undefined;
}

/** Compiles the module. What is not asked for by name may be missing. */
export async function int8Choice({ requested, wasm }: Int8Source, open: Open, edit?: Edit): Promise<Int8Choice> {
  if (wasm === undefined) return { requested };
  try {
    return { requested, module: await compile("relaxed", await wasm(), open, edit) };
  } catch (cause) {
    if (requested === "relaxed") throw cause;
    return { requested };
  }
}

/** Functions of relaxed.wasm, named by numbers. */
const FUNCTIONS = 8;
/** Engines compile a module quickly first, and what runs often once more. Milliseconds for the optimising tier. */
const WARM = 10;
/** Calls that warm it up, at most. */
const MOST = 1024;

/** Instantiates relaxed.wasm in a memory and puts its functions into a table, from the place on that is the result. */
export async function installInt8(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  table: WebAssembly.Table,
  stack: number,
): Promise<number> {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  (exports.__stack_pointer as WebAssembly.Global).value = stack;
  const first = table.grow(FUNCTIONS);
  for (let i = 0; i < FUNCTIONS; i++) table.set(first + i, exports[i]);
  return first;
}

/** Chooses for all models that this module will load. */
export async function useInt8(native: NativeInt8, { requested, module }: Int8Choice): Promise<Variant> {
  if (module === undefined) return "simd";
  const { wasmMemory, wasmTable } = native;
  // Natively nobody asks for another module.
  const memory = wasmMemory as WebAssembly.Memory;
  const first = await installInt8(module, memory, wasmTable, native._ropewalk_int8_stack());
  const isRight = () => native._ropewalk_try_int8(first, 1) === native._ropewalk_try_int8(0, 1);
  // V8 11.3, behind a flag, gives twice the sums until it has optimised the code: it shows in the first call. Optimised code
  // is asked as well.
  let isChosen = isRight();
  if (isChosen) {
    // Tests of others let the clock stand still.
    const end = performance.now() + WARM;
    for (let i = 0; i < MOST && performance.now() < end; i++) native._ropewalk_try_int8(first, 64);
    isChosen = isRight();
  }
  if (isChosen) native._ropewalk_use_int8(first);
  else if (requested === "relaxed") {
    const allowed = '"auto" or "simd": the relaxed SIMD of this engine computes wrong sums';
    throw refusal("unsupported", "load", "variant", requested, allowed);
  }
  return isChosen ? "relaxed" : "simd";
}
