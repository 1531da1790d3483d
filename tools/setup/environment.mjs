// The toolchain that set-up made, and the environment in which cmake, em++, ctest and the browser tests find it.
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inCache, readJson } from "./cache.mjs";
import { emscriptenEnvironment } from "./emscripten.mjs";
import { SetUpError } from "./progress.mjs";

/** Raised when toolchain.json says things otherwise. */
export const TOOLCHAIN_FORMAT = 1;

export function projectRoot() {
  return fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
}

export function toolchainFile() {
  return inCache("toolchain.json");
}

/** Findings of earlier set-ups: { includeDir, googletestDir, emscripten, native, chromium, firefox }, each if asked for. */
export function readToolchain() {
  const toolchain = readJson(toolchainFile());
  return toolchain?.format === TOOLCHAIN_FORMAT ? toolchain : null;
}

/** Environment variables for cmake, em++, ctest, vitest and playwright, on top of `base`. */
export function toolchainEnvironment(base = process.env) {
  const toolchain = readToolchain();
  if (!toolchain) throw new SetUpError("The toolchain is not set up: run `npm run setup`.");
  const env = toolchain.emscripten ? emscriptenEnvironment(toolchain.emscripten, base) : { ...base };
  env.PATH = [join(projectRoot(), "node_modules/.bin"), env.PATH].join(delimiter);
  env.ROPEWALK_INCLUDE_DIR = toolchain.includeDir;
  env.ROPEWALK_GOOGLETEST_DIR = toolchain.googletestDir;
  if (toolchain.chromium) env.ROPEWALK_CHROMIUM = toolchain.chromium;
  if (toolchain.firefox) env.ROPEWALK_FIREFOX = toolchain.firefox;
  if (toolchain.native && !env.CXX) env.CXX = toolchain.native.cxx;
  return env;
}
