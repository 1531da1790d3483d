// Emscripten: one that the machine has, or Debian testing's from the cache folder, or the official emsdk.
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { inCache, makeFolder, readJson, stampOf, writeWhole } from "./cache.mjs";
import { inTemporaryFolder, lastWords, run, which } from "./commands.mjs";
import { debianToolchainFolder, isUnpacked, unpackEmscripten } from "./debian-emscripten.mjs";
import { isDebian } from "./debian-packages.mjs";
import { cloneTag, fetchError } from "./fetch.mjs";
import { SetUpError, say, step } from "./progress.mjs";
import { EMSCRIPTEN_FLOOR, isAtLeast, PINNED, PYTHON_FLOOR, versionIn } from "./versions.mjs";

async function pythonOnMachine() {
  const python = which("python3");
  if (!python) return null;
  const version = versionIn((await run(python, ["--version"])).output);
  return version && isAtLeast(version, PYTHON_FLOOR) ? python : null;
}

async function requirePython() {
  if (await pythonOnMachine()) return;
  throw new SetUpError(`Emscripten needs Python ${PYTHON_FLOOR} or newer as \`python3\`: install it and run again.`);
}

/** emcc on PATH or of EMSDK, if it is new enough. */
async function emscriptenOnMachine() {
  const folders = [...(process.env.PATH ?? "").split(delimiter)];
  if (process.env.EMSDK) folders.unshift(join(process.env.EMSDK, "upstream", "emscripten"));
  for (const folder of folders.filter(Boolean)) {
    const emcc = join(folder, "emcc");
    if (!which(emcc)) continue;
    const version = versionIn((await run(emcc, ["--version"])).stdout.split("\n")[0] ?? "");
    if (version && isAtLeast(version, EMSCRIPTEN_FLOOR) && existsSync(join(folder, "em++"))) {
      return {
        bin: folder,
        emConfig: process.env.EM_CONFIG ?? null,
        version,
        origin: "machine",
        extraBins: [],
        python: null,
      };
    }
  }
  return null;
}

/** Tools that the WASM build still lacks. As root they were installed before, so this is for other users. */
function missingBuildTools() {
  const missing = [];
  if (!which("cmake")) missing.push("cmake");
  if (!which("ninja") && !which("make")) missing.push("ninja");
  return missing;
}

/**
 * The machine's Node runs emcc's scripts. The configuration looks it up itself: a text that changed with every Node
 * would make emcc throw its cache of system libraries away.
 */
function configurationText(stamp) {
  const root = debianToolchainFolder();
  return [
    "import shutil",
    `LLVM_ROOT = ${JSON.stringify(join(root, stamp.llvm, "bin"))}`,
    `BINARYEN_ROOT = ${JSON.stringify(join(root, "usr"))}`,
    `CACHE = ${JSON.stringify(inCache("emscripten-cache"))}`,
    "NODE_JS = shutil.which('node')",
    "",
  ].join("\n");
}

async function emscriptenOfDebian() {
  const extras = missingBuildTools();
  if (!(await pythonOnMachine())) extras.push("python");
  if (!isUnpacked(extras)) await unpackEmscripten(extras);
  const root = debianToolchainFolder();
  const stamp = stampOf(root);
  const emConfig = inCache("emscripten-config.py");
  writeWhole(emConfig, configurationText(stamp));
  return {
    bin: join(root, "usr/share/emscripten"),
    emConfig,
    version: stamp.version,
    origin: "debian",
    extraBins: stamp.extras.some((extra) => extra !== "python") ? [join(root, "usr/bin")] : [],
    python: stamp.extras.includes("python") ? join(root, "usr/bin/python3") : null,
  };
}

async function emscriptenOfEmsdk() {
  const { tag: version } = PINNED.emsdk;
  const folder = inCache(`emsdk-${version}`);
  if (!stampOf(folder)) {
    await requirePython();
    await step(`Fetching Emscripten ${version} as emsdk (about 400 MB)`, (note) =>
      makeFolder(folder, async (temporary) => {
        const onLine = (line) => note(line.slice(0, 70));
        await cloneTag("Emscripten's emsdk", PINNED.emsdk, join(temporary, "emsdk"), onLine);
        for (const verb of ["install", "activate"]) {
          const result = await run(join(temporary, "emsdk", "emsdk"), [verb, version], { onLine });
          if (result.code !== 0) throw fetchError(`Emscripten ${version}`, result.output);
        }
        return { version };
      }),
    );
  }
  // emsdk's own `.emscripten` finds its folder by its own place, so it may be moved.
  const sdk = join(folder, "emsdk");
  return {
    bin: join(sdk, "upstream/emscripten"),
    emConfig: join(sdk, ".emscripten"),
    version,
    origin: "emsdk",
    extraBins: [],
    python: null,
  };
}

async function find() {
  const own = await emscriptenOnMachine();
  if (own) return own;
  if (!isDebian()) return emscriptenOfEmsdk();
  try {
    return await emscriptenOfDebian();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    if (!which("git")) throw error;
    say(`  Debian's packages did not do (${error.message}); trying the official emsdk instead.`);
    try {
      return await emscriptenOfEmsdk();
    } catch (second) {
      if (!(second instanceof SetUpError)) throw second;
      throw new SetUpError(
        `Emscripten ${EMSCRIPTEN_FLOOR} or newer could not be had, neither from Debian (${error.message}) nor as emsdk ` +
          `(${second.message}) Connect to the network and run again, or put an \`emcc\` of your own on PATH.`,
      );
    }
  }
}

/** Environment for running this Emscripten. */
export function emscriptenEnvironment(emscripten) {
  const env = { ...process.env };
  env.PATH = [emscripten.bin, env.PATH, ...emscripten.extraBins].filter(Boolean).join(delimiter);
  if (emscripten.emConfig) env.EM_CONFIG = emscripten.emConfig;
  if (emscripten.python) env.EMSDK_PYTHON = emscripten.python;
  // Variables of another emsdk in the caller's shell would win over the configuration.
  if (emscripten.origin !== "machine") for (const name of ["EMSDK", "EM_CACHE", "EMSDK_NODE"]) delete env[name];
  return env;
}

const PROBE = `#include <emscripten/bind.h>
#include <string>
#include <vector>
static int sum(const std::string& text) { std::vector<int> v(text.begin(), text.end()); int s = 0; for (int x : v) s += x; return s; }
EMSCRIPTEN_BINDINGS(probe) { emscripten::function("sum", &sum); }
`;
const TEST_PROBE = `#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
int main() { try { throw std::runtime_error("3"); } catch (const std::exception& e) { std::cout << e.what() << std::endl; } return 0; }
`;
/** Libraries come in variants: another level of optimisation, or none at link time, would build some that nothing uses. */
const LIKE_OUR_LINKS = ["-Oz", "-flto", "-msimd128"];
const PROBES = {
  module: {
    title: "Building Emscripten's system libraries (once)",
    source: PROBE,
    flags: [
      ...LIKE_OUR_LINKS,
      "--no-entry",
      "-sSTRICT",
      "-sDYNAMIC_EXECUTION=0",
      "-sMALLOC=emmalloc",
      "-sFILESYSTEM=0",
    ],
    more: ["-fno-exceptions", "-fno-rtti", "-DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0", "-sEMBIND_AOT", "-lembind"],
    output: "probe.mjs",
  },
  tests: {
    title: "Building Emscripten's system libraries for the tests (once)",
    source: TEST_PROBE,
    flags: ["-flto", "-O1", "-fwasm-exceptions", "-sALLOW_MEMORY_GROWTH", "-sNODERAWFS", "-sABORTING_MALLOC=0"],
    more: ["-sENVIRONMENT=node", "-sEXIT_RUNTIME", "-sAUTO_NATIVE_LIBRARIES=0"],
    output: "probe.cjs",
  },
};

/** Links once, which proves that the compiler works and builds the system libraries that our own links use. */
async function warmUp(emscripten, kind) {
  const record = inCache(`emscripten-probe-${kind}.json`);
  const identity = JSON.stringify({ bin: emscripten.bin, version: emscripten.version, probe: PROBES[kind] });
  if (readJson(record)?.identity === identity) return;
  const { title, source, flags, more, output } = PROBES[kind];
  const link = (note) => async (folder) => {
    writeFileSync(join(folder, "probe.cpp"), source);
    const args = ["-std=c++20", ...flags, ...more, join(folder, "probe.cpp"), "-o", join(folder, output)];
    const result = await run(join(emscripten.bin, "em++"), args, {
      cwd: folder,
      env: emscriptenEnvironment(emscripten),
      onLine: (line) => {
        const library = /generating system (?:library|headers): (\S+?)\.\.\./.exec(line)?.[1];
        if (library) note(library.split("/").pop());
      },
    });
    if (result.code !== 0) {
      throw new SetUpError(
        `Emscripten ${emscripten.version} in ${dirname(emscripten.bin)} does not work (${lastWords(result.output)}): ` +
          "remove the folder, or put another emcc on PATH, and run again.",
      );
    }
  };
  await step(title, (note) => inTemporaryFolder("probe", link(note)));
  writeWhole(record, JSON.stringify({ identity }));
}

/** Finds or makes an Emscripten that works; `tests` also readies what the tests in WASM link. */
export async function setUpEmscripten({ tests }) {
  const emscripten = await find();
  if (!emscripten.python) await requirePython();
  await warmUp(emscripten, "module");
  if (tests) await warmUp(emscripten, "tests");
  return emscripten;
}
