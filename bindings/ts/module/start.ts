/** From the source of a module to a running one. */
import { compile } from "./compile.js";
import type { Glue } from "./glue.js";
import type { NativeMemory } from "./native.js";
import type { Open, WasmSource } from "./platform.js";

/** `name` is what the option is called that may replace the module. */
export async function start(glue: Glue, open: Open, name: string, wasm: WasmSource): Promise<NativeMemory> {
  const module = await compile(name, wasm, open);
  return new Promise((resolve, reject) => {
    const foreign = (cause: unknown) =>
      reject(new Error(`load: the given \`${name}\` is not the module of this version of ropewalk`, { cause }));
    glue({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then(done).catch(foreign);
        return {};
      },
    }).then((native) => resolve(native as NativeMemory), reject);
  });
}
