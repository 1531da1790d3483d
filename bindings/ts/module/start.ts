/** From the source of a module to a running one. */
import { compile } from "./compile.js";
import { failure } from "./errors.js";
import type { Glue } from "./glue.js";
import type { NativeMemory } from "./native.js";
import type { ModuleSource, Open } from "./platform.js";

/** `name` is what the option is called that may replace the module. */
export async function start(glue: Glue, open: Open, name: string, source: ModuleSource): Promise<NativeMemory> {
  if (typeof source === "object" && "running" in source) return source.running;
  return run(glue, name, await compile(name, source, open));
}

/** `more` is imported besides what the glue gives. */
export function run(
  glue: Glue,
  name: string,
  module: WebAssembly.Module,
  more?: WebAssembly.Imports,
): Promise<NativeMemory> {
  return new Promise((resolve, reject) => {
    const foreign = (cause: unknown) =>
      reject(
        // Engines throw a RangeError where the address space has no room for the memory.
        cause instanceof RangeError
          ? failure(
              "out-of-memory",
              "load",
              `there is no room for the module's memory: ${cause.message}`,
              {},
              { cause },
            )
          : new Error(`load: the given \`${name}\` is not the module of this version of ropewalk`, { cause }),
      );
    glue({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, { ...imports, ...more })
          .then(done)
          .catch(foreign);
        return {};
      },
    }).then((native) => resolve(native as NativeMemory), reject);
  });
}
