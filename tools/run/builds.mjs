// The builds: native and WASM by CMake presets, the npm package, the site. Each is skipped while its inputs are the same.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { readJson, writeWhole } from "../setup/cache.mjs";
import { which } from "../setup/commands.mjs";
import { projectRoot, readToolchain, toolchainEnvironment } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { unlessUnchanged } from "./inputs.mjs";
import { npmProgram, stage } from "./stages.mjs";

export const jobs = String(availableParallelism());

/** The WASM modules, so that `npm start` need not build the tests. The largest first: its link takes longest. */
export const WASM_MODULES = ["train", "decoder", "model", "analysis", "core", "relaxed"];

/** ropewalk.h as a WebAssembly module without glue. */
const STANDALONE_MODULE = "build/wasm/bindings/c/ropewalk.wasm";

export function cmakeEnvironment() {
  const env = toolchainEnvironment();
  if (!env.CMAKE_GENERATOR && which("ninja", env.PATH)) env.CMAKE_GENERATOR = "Ninja";
  return env;
}

/** A build folder that another compiler, another cache folder or another clone configured is begun anew. */
function beginAnewIfForeign(preset, identity) {
  const folder = join(projectRoot(), "build", preset);
  const stamp = join(projectRoot(), "build", "stamps", `configured-${preset}.json`);
  if (existsSync(folder) && readJson(stamp)?.identity !== identity) rmSync(folder, { recursive: true, force: true });
  writeWhole(stamp, `${JSON.stringify({ identity })}\n`);
}

const NATIVE_PRESETS = {
  release: "C++ for this machine",
  asan: "C++ with address and undefined-behaviour sanitizers",
  tsan: "C++ with the thread sanitizer",
  fuzz: "C++ for libFuzzer",
};

function identityOf(compiler) {
  const { includeDir, googletestDir } = readToolchain();
  return JSON.stringify([projectRoot(), compiler, includeDir, googletestDir]);
}

/** Everything native, or one target or a list of them, by one of the presets above. */
export async function buildNative(targets = "all", preset = "release") {
  const env = cmakeEnvironment();
  beginAnewIfForeign(preset, identityOf([env.CXX, readToolchain().native?.version]));
  await stage(
    NATIVE_PRESETS[preset],
    [
      ["cmake", "--preset", preset],
      ["cmake", "--build", "--preset", preset, "-j", jobs, "--target", ...[targets].flat()],
    ],
    { env },
  );
}

/** Folder of a program in whose node_modules both npm packages are. */
export const NATIVE_PROGRAM = "build/native-program";

/**
 * ropewalk-native for this machine, packed and installed beside the package by one command into an empty folder. Without the
 * network, since neither package has dependencies.
 */
export async function buildNativePackage() {
  const from = (...path) => join(projectRoot(), ...path);
  const env = cmakeEnvironment();
  beginAnewIfForeign("release", identityOf([env.CXX, readToolchain().native?.version]));
  const build = ["cmake", "--build", "--preset", "release", "-j", jobs, "--target", "ropewalk_node"];
  await stage("Native code for Node", [["cmake", "--preset", "release", "-DROPEWALK_NODE=ON"], build], { env });
  const folder = from(NATIVE_PROGRAM);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeWhole(join(folder, "package.json"), '{"private": true}\n');
  const quiet = ["--silent", "--ignore-scripts"];
  const { version } = readJson(from("package.json"));
  const packed = (name) => join(folder, `${name}-${version}.tgz`);
  await stage("Both npm packages in an empty folder", [
    ["npm", "pack", ...quiet, "--pack-destination", folder, projectRoot(), from("bindings/node")],
    [
      "npm",
      "install",
      ...quiet,
      "--offline",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
      packed("ropewalk"),
      packed("ropewalk-native"),
    ],
  ]);
}

function configureWasm(preset = "wasm") {
  const { emscripten } = readToolchain();
  beginAnewIfForeign(preset, identityOf([emscripten.bin, emscripten.version]));
  return [join(emscripten.bin, "emcmake"), "cmake", "--preset", preset];
}

/** The GoogleTest suite for 64-bit ARM, with Debian's cross compiler. */
export async function buildNeon() {
  const { neon, native } = readToolchain();
  // The cross compiler is named by the preset.
  const { CXX: _, ...env } = cmakeEnvironment();
  beginAnewIfForeign("neon", identityOf([neon.version, native?.version]));
  await stage(
    "C++ for 64-bit ARM",
    [
      ["cmake", "--preset", "neon"],
      ["cmake", "--build", "--preset", "neon", "-j", jobs, "--target", "ropewalk_tests"],
    ],
    { env },
  );
}

/** Everything of the WASM preset: the module and the tests. */
export async function buildWasm() {
  const configure = configureWasm();
  const build = ["cmake", "--build", "--preset", "wasm", "-j", jobs];
  await stage("C++ as WebAssembly, with its tests", [configure, build], { env: cmakeEnvironment() });
}

/** The tests of the WASM preset once more, with SAFE_HEAP and ASSERTIONS=2. */
export async function buildCheckedWasm() {
  const configure = configureWasm("wasm-checks");
  const build = ["cmake", "--build", "--preset", "wasm-checks", "-j", jobs, "--target", "ropewalk_tests"];
  await stage("C++ tests as WebAssembly with checked loads and stores", [configure, build], {
    env: cmakeEnvironment(),
  });
}

/** The package's modules in a folder of their own, from the first file on. */
export async function buildModules(folder) {
  const { emscripten } = readToolchain();
  const configure = [join(emscripten.bin, "emcmake"), "cmake", "--preset", "wasm", "-B", folder];
  const build = ["cmake", "--build", folder, "-j", jobs, "--target", ...WASM_MODULES];
  await stage("The WebAssembly modules once more", [configure, build], { env: cmakeEnvironment() });
}

export async function buildStandalone() {
  const { emscripten } = readToolchain();
  const inputs = ["cpp", "bindings/c", "CMakeLists.txt", "CMakePresets.json"];
  const built = await unlessUnchanged(
    { name: "standalone", inputs, more: [emscripten.version], outputs: [STANDALONE_MODULE] },
    () => {
      const build = ["cmake", "--build", "--preset", "wasm", "-j", jobs, "--target", "ropewalk_standalone"];
      return stage("The WebAssembly module without glue", [configureWasm(), build], { env: cmakeEnvironment() });
    },
  );
  if (!built.made) say("\n== The WebAssembly module without glue: unchanged");
}

/** dist-c/: the headers, the shared library, the WebAssembly module and the Python package. */
export async function buildC() {
  await buildNative("ropewalk_c");
  await buildStandalone();
  const from = (...path) => join(projectRoot(), ...path);
  const folder = from("dist-c");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const library = sharedLibrary();
  const python = join(folder, "python", "ropewalk");
  cpSync(from("bindings/python/ropewalk"), python, {
    recursive: true,
    filter: (path) => !path.includes("__pycache__"),
  });
  for (const name of ["ropewalk.h", "ropewalk_models.h"]) copyFileSync(from("cpp/include", name), join(folder, name));
  copyFileSync(from(STANDALONE_MODULE), join(folder, "ropewalk.wasm"));
  for (const place of [folder, python]) copyFileSync(library, join(place, basename(library)));
  say("\nThe C and Python packages are in dist-c/.");
}

/** The shared library by its SONAME, as the Python package looks for it. */
export function sharedLibrary() {
  const name = process.platform === "darwin" ? "libropewalk_c.1.dylib" : "libropewalk_c.so.1";
  return join(projectRoot(), "build/release/bindings/c", name);
}

/**
 * Commands that build the wheel below `folder` and install it, with what it needs, into an empty environment there; the
 * variables that they need, and the environment's Python. All packages come from the cache folder `wheels`. `library` is
 * packed as it is; without it the wheel is built from the sources.
 */
export function installPython({ program, wheels, env }, library, folder = "build/python") {
  const from = (...path) => join(projectRoot(), folder, ...path);
  rmSync(from(), { recursive: true, force: true });
  const python = from("environment", "bin", "python");
  const define = library ? [`--config-settings=cmake.define.ROPEWALK_C_LIBRARY=${library}`] : [];
  const pip = [program, "-m", "pip", "--quiet"];
  const commands = [
    [...pip, "wheel", "--no-deps", "--wheel-dir", from("wheel"), ...define, projectRoot()],
    [program, "-m", "venv", "--without-pip", from("environment")],
    [...pip, "--python", python, "install", "ropewalk"],
  ];
  // Also for the environment in which pip builds.
  const offline = {
    PIP_NO_INDEX: "1",
    PIP_FIND_LINKS: `${wheels} ${from("wheel")}`,
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
  };
  return { commands, env: { ...env, ...offline }, python };
}

/** The npm package in dist/. Returns the hash of all it is made of. */
export async function buildPackage() {
  const { emscripten } = readToolchain();
  const inputs = [
    "cpp",
    "bindings",
    "tools/package",
    "CMakeLists.txt",
    "CMakePresets.json",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "README.md",
  ];
  const built = await unlessUnchanged(
    {
      name: "package",
      inputs,
      more: [emscripten.version],
      outputs: ["dist/index.d.ts", "dist/node.js", "dist/web.js"],
    },
    async () => {
      const configure = configureWasm();
      const build = ["cmake", "--build", "--preset", "wasm", "-j", jobs, "--target", ...WASM_MODULES];
      await stage("The WebAssembly module", [configure, build], { env: cmakeEnvironment() });
      await stage("The npm package", [[process.execPath, "tools/package/build.mjs"]], { env: toolchainEnvironment() });
    },
  );
  if (!built.made) say("\n== The npm package: unchanged");
  return built.hash;
}

/** Plain C loops as WebAssembly, in build/plain/: what the playground and the benchmark compare with. */
export async function buildPlainLoops() {
  const { emscripten } = readToolchain();
  const outputs = ["scalar", "simd", "relaxed"].map((name) => `build/plain/${name}.wasm`);
  await unlessUnchanged({ name: "plain", inputs: ["tools/plain"], more: [emscripten.version], outputs }, () =>
    stage("Plain C loops, to compare with", [[process.execPath, "tools/plain/build.mjs"]]),
  );
}

/** dist-site/ for any static host: the playground, and the documentation in docs/ under it. */
export async function buildSite(packageHash) {
  await buildPlainLoops();
  const built = await unlessUnchanged(
    {
      name: "site",
      inputs: [
        "web",
        "tools/plain",
        "docs/guide.md",
        "docs/performance/results.json",
        "package-lock.json",
        "tsconfig.json",
      ],
      // Where the site will stand, and the address of its repository: the workflow that publishes it says both.
      more: [packageHash, process.env.ROPEWALK_SITE ?? "", process.env.ROPEWALK_REPOSITORY ?? ""],
      outputs: ["dist-site/index.html"],
    },
    () => stage("The playground", [[npmProgram("vite"), "build", "web"]], { env: toolchainEnvironment() }),
  );
  if (!built.made) say("\n== The playground: unchanged");
  const documented = await unlessUnchanged(
    {
      name: "docs",
      inputs: [
        "tools/site",
        "tests/bench/report",
        "docs",
        "conformance",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "package-lock.json",
      ],
      more: [packageHash, built.hash],
      outputs: ["dist-site/docs/index.html", "dist-site/docs/api/index.html"],
    },
    () => stage("The documentation", [[process.execPath, "tools/site/docs.mjs"]], { env: toolchainEnvironment() }),
  );
  if (!documented.made) say("\n== The documentation: unchanged");
}
