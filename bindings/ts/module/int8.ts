/**
 * The products of 8-bit integers: those of the modules of models, or those of relaxed.wasm, which work in the same memory.
 * Both give the same bits, so that only their speed decides.
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
/** Engines compile a module quickly first, and what runs often once more. Long enough, in milliseconds, for the optimising tier. */
const WARM = 10;
/** Milliseconds of a sample: longer than the steps of a page's clock. */
const SAMPLE = 0.5;

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
  const isChosen = isRight() && (requested === "relaxed" || isFaster(native, first)) && isRight();
  if (isChosen) native._ropewalk_use_int8(first);
  else if (requested === "relaxed") {
    const allowed = '"auto" or "simd": the relaxed SIMD of this engine computes wrong sums';
    throw refusal("unsupported", "load", "variant", requested, allowed);
  }
  return isChosen ? "relaxed" : "simd";
}

/** True if the functions from a place of the table on multiply faster than the module's own. */
function isFaster(native: NativeInt8, first: number): boolean {
  let times = 2;
  const took = (which: number) => {
    const begun = performance.now();
    native._ropewalk_try_int8(which, times);
    return performance.now() - begun;
  };
  const sampleBoth = () => [took(0), took(first)] as const;
  const lengthen = () => {
    while (took(0) < SAMPLE && times < 1 << 16) times *= 2;
  };
  lengthen();
  const end = performance.now() + WARM;
  const [ownCold, otherCold] = sampleBoth();
  for (let own = ownCold, other = otherCold; performance.now() < end; [own, other] = sampleBoth()) {
    if (own < ownCold * 0.7 && other < otherCold * 0.7) break;
  }
  lengthen();
  const samples = [sampleBoth(), sampleBoth(), sampleBoth()];
  const [own, other] = [0, 1].map((which) => Math.min(...samples.map((sample) => sample[which]!)));
  return other! < own!;
}
