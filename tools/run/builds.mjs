// The builds: native and WASM by CMake presets, the npm package, the site. Each is skipped while its inputs are the same.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { readJson, writeWhole } from "../setup/cache.mjs";
import { which } from "../setup/commands.mjs";
import { fromRoot, projectRoot, readToolchain, toolchainEnvironment } from "../setup/environment.mjs";
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

/** The build of each preset of CMakePresets.json, in words. */
const PRESETS = {
  release: "C++ for this machine",
  asan: "C++ with address and undefined-behaviour sanitizers",
  tsan: "C++ with the thread sanitizer",
  fuzz: "C++ for libFuzzer",
  neon: "C++ for 64-bit ARM",
  wasm: "C++ as WebAssembly, with its tests",
  "wasm-checks": "C++ tests as WebAssembly with checked loads and stores",
};

/** A build folder that another compiler, another cache folder or another clone configured is begun anew. */
function beginAnewIfForeign(preset, compiler) {
  const { includeDir, googletestDir } = readToolchain();
  const identity = JSON.stringify([projectRoot(), compiler, includeDir, googletestDir]);
  const folder = fromRoot("build", preset);
  const stamp = fromRoot("build/stamps", `configured-${preset}.json`);
  if (existsSync(folder) && readJson(stamp)?.identity !== identity) rmSync(folder, { recursive: true, force: true });
  writeWhole(stamp, `${JSON.stringify({ identity })}\n`);
}

/** Configures a preset with `options`, and builds everything, or one target or a list of them. */
export async function buildPreset(preset, targets = "all", title = PRESETS[preset], options = []) {
  const { emscripten, native, neon } = readToolchain();
  const env = cmakeEnvironment();
  const isWasm = preset.startsWith("wasm");
  // This preset names the cross compiler.
  if (preset === "neon") delete env.CXX;
  const compiler = isWasm ? [emscripten.bin, emscripten.version] : [env.CXX ?? neon?.version, native?.version];
  beginAnewIfForeign(preset, compiler);
  const commands = [
    [...(isWasm ? [join(emscripten.bin, "emcmake")] : []), "cmake", "--preset", preset, ...options],
    ["cmake", "--build", "--preset", preset, "-j", jobs, "--target", ...[targets].flat()],
  ];
  await stage(title, commands, { env });
}

/** Folder of a program in whose node_modules both npm packages are. */
export const NATIVE_PROGRAM = "build/native-program";

/**
 * ropewalk-native for this machine, packed and installed beside the package by one command into an empty folder. Without the
 * network, since neither package has dependencies.
 */
export async function buildNativePackage() {
  await buildPreset("release", "ropewalk_node", "Native code for Node", ["-DROPEWALK_NODE=ON"]);
  const folder = fromRoot(NATIVE_PROGRAM);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeWhole(join(folder, "package.json"), '{"private": true}\n');
  const quiet = ["--silent", "--ignore-scripts"];
  const offline = ["--offline", "--no-audit", "--no-fund"];
  const { version } = readJson(fromRoot("package.json"));
  const packed = (name) => join(folder, `${name}-${version}.tgz`);
  await stage("Both npm packages in an empty folder", [
    ["npm", "pack", ...quiet, "--pack-destination", folder, projectRoot(), fromRoot("bindings/node")],
    ["npm", "install", ...quiet, ...offline, "--prefix", folder, packed("ropewalk"), packed("ropewalk-native")],
  ]);
}

/** The package's modules in a folder of their own, from the first file on. */
export async function buildModulesAgain(folder) {
  const { emscripten } = readToolchain();
  const commands = [
    [join(emscripten.bin, "emcmake"), "cmake", "--preset", "wasm", "-B", folder],
    ["cmake", "--build", folder, "-j", jobs, "--target", ...WASM_MODULES],
  ];
  rmSync(folder, { recursive: true, force: true });
  await stage("The WebAssembly modules once more", commands, { env: cmakeEnvironment() });
}

export async function buildStandalone() {
  const { emscripten } = readToolchain();
  const title = "The WebAssembly module without glue";
  const inputs = ["cpp", "bindings/c", "CMakeLists.txt", "CMakePresets.json"];
  await unlessUnchanged(
    { name: "standalone", title, inputs, more: [emscripten.version], outputs: [STANDALONE_MODULE] },
    () => buildPreset("wasm", "ropewalk_standalone", title),
  );
}

/** dist-c/: the headers, the shared library, the WebAssembly module and the Python package. */
export async function buildC() {
  await buildPreset("release", "ropewalk_c");
  await buildStandalone();
  const folder = fromRoot("dist-c");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const library = sharedLibrary();
  const python = join(folder, "python", "ropewalk");
  cpSync(fromRoot("bindings/python/ropewalk"), python, {
    recursive: true,
    filter: (path) => !path.includes("__pycache__"),
  });
  for (const name of ["ropewalk.h", "ropewalk_models.h"])
    copyFileSync(fromRoot("cpp/include", name), join(folder, name));
  copyFileSync(fromRoot(STANDALONE_MODULE), join(folder, "ropewalk.wasm"));
  for (const place of [folder, python]) copyFileSync(library, join(place, basename(library)));
  say("\nThe C and Python packages are in dist-c/.");
}

/** The shared library by its SONAME, as the Python package looks for it. */
export function sharedLibrary() {
  const name = process.platform === "darwin" ? "libropewalk_c.1.dylib" : "libropewalk_c.so.1";
  return fromRoot("build/release/bindings/c", name);
}

/**
 * Commands that build the wheel below `folder` and install it, with what it needs, into an empty environment there; the
 * variables that they need, and the environment's Python. All packages come from the cache folder `wheels`. `library` is
 * packed as it is; without it the wheel is built from the sources.
 */
export function installPython({ program, wheels, env }, library, folder = "build/python") {
  const from = (...path) => fromRoot(folder, ...path);
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
  const title = "The npm package";
  const outputs = ["dist/index.d.ts", "dist/node.js", "dist/web.js"];
  return unlessUnchanged({ name: "package", title, inputs, more: [emscripten.version], outputs }, async () => {
    await buildPreset("wasm", WASM_MODULES, "The WebAssembly module");
    await stage(title, [[process.execPath, "tools/package/build.mjs"]], { env: toolchainEnvironment() });
  });
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
  const hash = await unlessUnchanged(
    {
      name: "site",
      title: "The playground",
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
  await unlessUnchanged(
    {
      name: "docs",
      title: "The documentation",
      inputs: [
        "tools/site",
        "tools/markdown.mjs",
        "tests/bench/report",
        "docs",
        "conformance",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "package-lock.json",
      ],
      more: [packageHash, hash],
      outputs: ["dist-site/docs/index.html", "dist-site/docs/api/index.html"],
    },
    () => stage("The documentation", [[process.execPath, "tools/site/docs.mjs"]], { env: toolchainEnvironment() }),
  );
}
