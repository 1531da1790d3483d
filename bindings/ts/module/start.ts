/** From a part of the package to a running module. */

import { compile, type WasmSource } from "./compile.js";
import type { NativeModule } from "./native.js";
import type { Open, Part } from "./platform.js";

/** `name` is what the option is called that may replace the module. */
export async function start(part: Part, open: Open, name: string, wasm?: WasmSource): Promise<NativeModule> {
  const module = await compile(name, wasm ?? (await part.wasm()), open);
  return new Promise((resolve, reject) => {
    const foreign = (cause: unknown) =>
      reject(new Error(`load: the given \`${name}\` is not the module of this version of ropewalk`, { cause }));
    part
      .glue({
        instantiateWasm(imports, done) {
          WebAssembly.instantiate(module, imports).then(done).catch(foreign);
          return {};
        },
      })
      .then((native) => resolve(native as NativeModule), reject);
  });
}
