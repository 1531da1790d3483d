// The plain C loops as WebAssembly, as a C user would compile them: build/plain/{scalar,simd,relaxed}.wasm.
//   node tools/plain/build.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, readToolchain, toolchainEnvironment } from "../setup/environment.mjs";

const VARIANTS = {
  scalar: { sources: ["loops.cpp"], flags: [] },
  simd: { sources: ["loops.cpp", "scale.cpp"], flags: ["-msimd128"] },
  relaxed: { sources: ["relaxed.c"], flags: ["-msimd128", "-mrelaxed-simd"] },
};

const folder = join(projectRoot(), "build/plain");
mkdirSync(folder, { recursive: true });
const emcc = (...args) =>
  execFileSync(join(readToolchain().emscripten.bin, "emcc"), args, { env: toolchainEnvironment(), stdio: "inherit" });
for (const [name, { sources, flags }] of Object.entries(VARIANTS)) {
  const objects = sources.map((source) => {
    const object = join(folder, `${name}-${source}.o`);
    emcc("-O3", ...flags, "-c", join(projectRoot(), "tools/plain", source), "-o", object);
    return object;
  });
  emcc(
    // The objects are compiled as they are; -flto chooses the variants of the system libraries that the package links.
    ...["-O3", "-flto", ...objects, "-o", join(folder, `${name}.wasm`)],
    ...["--no-entry", "-sSTRICT", "-sALLOW_MEMORY_GROWTH", "-Wl,--export=__heap_base"],
    `-sEXPORTED_FUNCTIONS=_plain_half,_plain_interleaved${sources.includes("scale.cpp") ? ",_limit_scale" : ""}`,
  );
}
