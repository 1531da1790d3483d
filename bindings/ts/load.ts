/** Loading: nothing happens at import; the first call compiles, later ones with the same options get the same object. */

import type { Analysis } from "./analysis/open.js";
import { remember } from "./loaded.js";
import type { WasmSource } from "./module/compile.js";
import { Core } from "./module/core.js";
import { optionsObject, refusal } from "./module/errors.js";
import type { NativeCore } from "./module/native.js";
import { once } from "./module/once.js";
import type { Open, Part } from "./module/platform.js";
import { start } from "./module/start.js";
import type { ParallelModels } from "./parallel/roformer.js";
import { ModuleRopewalk, type Ropewalk } from "./ropewalk.js";
import type { Models } from "./train/open.js";

export interface LoadOptions {
  /** 'simd' is fixed-width WebAssembly SIMD, whose results are the same bits everywhere. 'auto', the default, takes it. */
  variant?: "auto" | "simd";
  /** Instead of core.wasm, which comes with the package: its URL, bytes, compiled form or response. */
  wasm?: WasmSource;
  /** The same for model.wasm, which holds the RoFormer and is loaded when the first one is asked for. */
  modelWasm?: WasmSource;
  /**
   * true also loads what reads configurations, explains, analyses and converts: a module as large as that of the ropes,
   * which pages that only rotate do without. Default false.
   */
  analysis?: boolean;
}

/**
 * Loads the module. Idempotent per options; works in pages, workers and Node.
 *
 * @throws Error (as a rejection) when the module cannot be had or compiled; the next call tries again.
 */
export type Load = (options?: LoadOptions) => Promise<Ropewalk>;

/** What differs between a page and Node, and between the inlined and the external entry. */
export interface Platform {
  core: Part;
  open: Open;
  /** Fetches the analysis, whose module is always inside its JavaScript. */
  openAnalysis(): Promise<Analysis>;
  /** Fetches what only the RoFormer needs; `wasm` replaces the module that comes with it. */
  openModels(wasm?: WasmSource): Promise<Models>;
  /** The same for RoFormers in several workers. */
  openParallelModels(wasm?: WasmSource): Promise<ParallelModels>;
}

export function loader(platform: Platform): Load {
  const begin = async ({ wasm, modelWasm }: LoadOptions, analysis: boolean): Promise<Ropewalk> => {
    const [native, opened] = await Promise.all([
      start(platform.core, platform.open, "wasm", wasm) as Promise<NativeCore>,
      analysis ? platform.openAnalysis() : undefined,
    ]);
    const loaded = { core: new Core(native), analysis: opened };
    remember(loaded);
    return new ModuleRopewalk(loaded, {
      models: once(() => platform.openModels(modelWasm)),
      parallel: once(() => platform.openParallelModels(modelWasm)),
    });
  };
  // Sources are the same by identity, URLs by their text.
  const keyOf = (source: WasmSource | undefined) => (source instanceof URL ? source.href : source);
  const loaded: { keys: unknown[]; ropewalk: Promise<Ropewalk> }[] = [];
  return async function load(options: LoadOptions = {}): Promise<Ropewalk> {
    const { variant = "auto", analysis = false } = optionsObject("load", "options", options);
    if (variant !== "auto" && variant !== "simd") {
      throw new RangeError(refusal("load", "variant", variant, '"auto" or "simd"'));
    }
    if (typeof analysis !== "boolean") throw new TypeError(refusal("load", "analysis", analysis, "true or false"));
    const keys = [keyOf(options.wasm), keyOf(options.modelWasm), analysis];
    const known = loaded.find((each) => each.keys.every((key, i) => key === keys[i]));
    if (known !== undefined) return known.ropewalk;
    const entry = { keys, ropewalk: begin(options, analysis) };
    loaded.push(entry);
    entry.ropewalk.catch(() => loaded.splice(loaded.indexOf(entry), 1));
    return entry.ropewalk;
  };
}
