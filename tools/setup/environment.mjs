// The toolchain that set-up made, and the environment in which cmake, em++, ctest and the browser tests find it.
import { delimiter, join } from "node:path";
import { inCache, readJson } from "./cache.mjs";
import { emscriptenEnvironment } from "./emscripten.mjs";
import { SetUpError } from "./progress.mjs";

/** Raised when toolchain.json says things otherwise. */
export const TOOLCHAIN_FORMAT = 1;

/** The folder of this repository. */
export function projectRoot() {
  return join(import.meta.dirname, "../..");
}

/** A path below it. */
export function fromRoot(...parts) {
  return join(projectRoot(), ...parts);
}

export function toolchainFile() {
  return inCache("toolchain.json");
}

/** Findings of earlier set-ups: { includeDir, googletestDir, emscripten, native, chromium, firefox }, each if asked for. */
export function readToolchain() {
  const toolchain = readJson(toolchainFile());
  return toolchain?.format === TOOLCHAIN_FORMAT ? toolchain : null;
}

/** Environment variables for cmake, em++, ctest, vitest and playwright, on top of those of this process. */
export function toolchainEnvironment() {
  const toolchain = readToolchain();
  if (!toolchain) throw new SetUpError("The toolchain is not set up: run `npm run setup`.");
  const env = toolchain.emscripten ? emscriptenEnvironment(toolchain.emscripten) : { ...process.env };
  env.PATH = [fromRoot("node_modules/.bin"), env.PATH].join(delimiter);
  env.ROPEWALK_INCLUDE_DIR = toolchain.includeDir;
  env.ROPEWALK_GOOGLETEST_DIR = toolchain.googletestDir;
  if (toolchain.chromium) env.ROPEWALK_CHROMIUM = toolchain.chromium;
  if (toolchain.firefox) env.ROPEWALK_FIREFOX = toolchain.firefox;
  if (toolchain.native && !env.CXX) env.CXX = toolchain.native.cxx;
  return env;
}
