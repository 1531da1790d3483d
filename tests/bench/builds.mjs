// Builds what is measured, from this checkout or another.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cmakeEnvironment, jobs } from "../../tools/run/builds.mjs";
import { stage } from "../../tools/run/stages.mjs";
import { readJson } from "../../tools/setup/cache.mjs";
import { readToolchain } from "../../tools/setup/environment.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** As the contract of the plain loop says: the same emcc, -O3 -msimd128. */
const LOOSE = {
  plain: { sources: ["../../tools/plain/loops.cpp"], exported: ["plain_half", "plain_interleaved", "plain_product"] },
  limits: {
    sources: ["wasm/limits.cpp", "../../tools/plain/scale.cpp"],
    exported: [
      "limit_scale",
      "limit_multiply_add_8",
      "limit_multiply_add_10",
      "limit_multiply_add_12",
      "limit_multiply_add_loaded",
    ],
  },
  "decoder-limits": {
    sources: ["wasm/decoder-limits.cpp"],
    exported: ["limit_read", "plain_quantise", "plain_blocks"],
  },
};

/** plain.wasm, limits.wasm and the kernels of the checkout `tree`, into `folder`. */
export async function buildModules(tree, folder) {
  mkdirSync(folder, { recursive: true });
  const { emscripten } = readToolchain();
  const emxx = (name, { sources, exported }) => [
    join(emscripten.bin, "em++"),
    ...["-O3", "-msimd128", ...sources.map((each) => join(here, each))],
    ...["-o", join(folder, `${name}.wasm`), "--no-entry"],
    ...["-sSTANDALONE_WASM", "-sALLOW_MEMORY_GROWTH", "-sMALLOC=emmalloc"],
    `-sEXPORTED_FUNCTIONS=_malloc,${exported.map((each) => `_${each}`).join(",")}`,
  ];
  // The kernels as the checkout's own preset compiles them.
  const preset = readJson(join(tree, "CMakePresets.json")).configurePresets.find(({ name }) => name === "wasm");
  const flags = Object.entries(preset.cacheVariables).map(([name, value]) => `-D${name}=${value}`);
  const build = join(folder, "cmake-wasm");
  await stage(
    "The bench's WebAssembly modules",
    [
      ...Object.entries(LOOSE).map(([name, loose]) => emxx(name, loose)),
      [join(emscripten.bin, "emcmake"), "cmake", "-S", here, "-B", build, `-DROPEWALK_SOURCE=${tree}`, ...flags],
      ["cmake", "--build", build, "--target", "kernels", "-j", jobs],
    ],
    { env: cmakeEnvironment() },
  );
  copyFileSync(join(build, "kernels.wasm"), join(folder, "kernels.wasm"));
}

/** The native program, linked to the library that `tree`'s preset `release` built; its path. */
export async function buildProgram(tree, folder) {
  const build = join(folder, "cmake-native");
  const options = [`-DROPEWALK_SOURCE=${tree}`, "-DCMAKE_BUILD_TYPE=Release"];
  await stage(
    "The bench's native program",
    [
      ["cmake", "-S", here, "-B", build, ...options],
      ["cmake", "--build", build, "-j", jobs],
    ],
    { env: cmakeEnvironment() },
  );
  return join(build, "ropewalk_bench");
}
