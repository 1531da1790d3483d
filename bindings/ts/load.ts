/** Loading: nothing happens at import; the first call compiles, later ones with the same options get the same object. */

import { compile, type WasmSource } from "./core/compile.js";
import type { Glue } from "./core/glue.js";
import type { Platform } from "./core/platform.js";
import { Core } from "./core.js";
import { optionsObject, refusal } from "./errors.js";
import type { NativeModule } from "./module.js";
import { ModuleRopewalk, type Ropewalk } from "./ropewalk.js";

export interface LoadOptions {
  /** 'simd' is fixed-width WebAssembly SIMD, whose results are the same bits everywhere. 'auto', the default, takes it. */
  variant?: "auto" | "simd";
  /** Instead of the module that comes with the package: its URL, bytes, compiled form or response. */
  wasm?: WasmSource;
}

/**
 * Loads the module. Idempotent per options; works in pages, workers and Node.
 *
 * @throws Error (as a rejection) when the module cannot be had or compiled; the next call tries again.
 */
export type Load = (options?: LoadOptions) => Promise<Ropewalk>;

async function instantiate(module: WebAssembly.Module, glue: Glue): Promise<NativeModule> {
  return new Promise((resolve, reject) => {
    glue({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then(done, (cause) =>
          reject(new Error("load: the given `wasm` is not the core.wasm of this version of ropewalk", { cause })),
        );
        return {};
      },
    }).then((native) => resolve(native as NativeModule), reject);
  });
}

async function start(wasm: WasmSource | undefined, glue: Glue, platform: Platform): Promise<Ropewalk> {
  const module = await compile(wasm ?? (await platform.core()), platform);
  return new ModuleRopewalk(new Core(await instantiate(module, glue), platform));
}

export function loader(glue: Glue, platform: Platform): Load {
  // By identity, URLs by their text.
  const loaded = new Map<unknown, Promise<Ropewalk>>();
  return async function load(options: LoadOptions = {}): Promise<Ropewalk> {
    const { variant = "auto", wasm } = optionsObject("load", "options", options);
    if (variant !== "auto" && variant !== "simd") {
      throw new RangeError(refusal("load", "variant", variant, '"auto" or "simd"'));
    }
    const key = wasm instanceof URL ? wasm.href : wasm;
    const known = loaded.get(key);
    if (known !== undefined) return known;
    const starting = start(wasm, glue, platform);
    loaded.set(key, starting);
    starting.catch(() => loaded.delete(key));
    return starting;
  };
}
