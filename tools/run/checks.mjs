// The checks and tests. Those that run tests return how many passed, also when some failed.
import { rmSync } from "node:fs";
import { fromRoot, readToolchain, toolchainEnvironment } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { cmakeEnvironment, installPython, jobs, sharedLibrary } from "./builds.mjs";
import {
  countCtest,
  countGoogleTest,
  countPlaywright,
  countPython,
  countVitest,
  describeCounts,
  flakyTests,
  reportPath,
} from "./counts.mjs";
import { checkFormat } from "./format.mjs";
import { npmProgram, StageFailure, stage } from "./stages.mjs";

export const checkStyle = () => stage("Formatting and lint", checkFormat());

export const checkTypes = () => stage("Types", [[npmProgram("tsc"), "--noEmit", "-p", "tsconfig.json"]]);

/** Runs a stage of tests; its counts go into `tally`, whether it fails or not. */
async function testStage(tally, title, commands, env, report, count) {
  let counted = null;
  const summary = () => {
    counted = count(report);
    return counted ? describeCounts(counted) : "";
  };
  try {
    await stage(title, commands, { env, summary });
  } catch (error) {
    // A failure without a failed test, such as a crash or a build, has no honest count.
    const failed = error instanceof StageFailure ? count(report) : null;
    if (failed?.failed > 0) counted = failed;
    throw error;
  } finally {
    tally.push(counted);
  }
}

async function testCtest(tally, preset, title, more = [], env = {}) {
  const report = reportPath(`${preset}.xml`);
  // GoogleTest writes its own reports here; one of an earlier run must never be counted.
  const reports = fromRoot("build", preset, "reports");
  rmSync(reports, { recursive: true, force: true });
  const command = ["ctest", "--preset", preset, "-j", jobs, "--no-tests=error", "--output-junit", report, ...more];
  await testStage(tally, title, [command], { ...cmakeEnvironment(), ...env }, report, (path) =>
    countCtest(path, reports),
  );
}

export const testNative = (tally) => testCtest(tally, "release", "C++ and C on this machine");

/** The corpora of tests/fuzz: readers of a stranger's file under the address and undefined-behaviour sanitizers. */
export const testReaders = (tally) => testCtest(tally, "asan", "Readers under sanitizers", ["-L", "^readers$"]);

/** The whole suite under the address and undefined-behaviour sanitizers. */
export const testAddresses = (tally) =>
  testCtest(tally, "asan", "C++ under the address and undefined-behaviour sanitizers");

/** The tests of shared memory, under the thread sanitizer. */
export const testThreads = (tally) => testCtest(tally, "tsan", "C++ under the thread sanitizer");

/** The whole suite as it is shipped, with a page behind each Buffer that nobody may touch. */
export async function testGuardPages(tally) {
  const library = fromRoot("build/release/tests/cpp/libropewalk_guard_pages.so");
  await testCtest(tally, "release", "C++ with guard pages", ["-R", "^ropewalk_tests"], { LD_PRELOAD: library });
}

export const testWasm = (tally) => testCtest(tally, "wasm", "GoogleTest in WebAssembly under Node");

/** The same with SAFE_HEAP and ASSERTIONS=2. */
export const testCheckedWasm = (tally) =>
  testCtest(tally, "wasm-checks", "GoogleTest in WebAssembly with checked loads and stores");

/** The tests that run on each architecture, or all of them, on 64-bit ARM under qemu. */
export async function testNeon(tally, all) {
  const report = reportPath("neon.json");
  const program = ["-L", "/usr/aarch64-linux-gnu", "build/neon/tests/cpp/ropewalk_tests", "--gtest_brief=1"];
  const command = ["qemu-aarch64", ...program, `--gtest_output=json:${report}`];
  if (!all) command.push("--gtest_filter=Architectures/*");
  await testStage(tally, "NEON under qemu", [command], undefined, report, countGoogleTest);
}

/** The Python package as a stranger has it: a wheel, installed into an empty environment by one command. */
export async function testPython(tally) {
  const { python } = readToolchain();
  if (!python) {
    say("\n== The Python package: not tested, since set-up found no Python for it");
    tally.push({ passed: 0, failed: 0, skipped: 1 });
    return;
  }
  const report = reportPath("python.json");
  const installed = installPython(python, sharedLibrary());
  const env = { ...toolchainEnvironment(), ...installed.env };
  await testStage(
    tally,
    "The Python package",
    [...installed.commands, [installed.python, "-B", "tests/python/run.py", report]],
    env,
    report,
    countPython,
  );
}

async function testVitest(tally, title, name, more = {}) {
  const report = reportPath(name);
  const command = [npmProgram("vitest"), "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  await testStage(tally, title, [command], { ...toolchainEnvironment(), ...more }, report, countVitest);
}

export const testTypeScript = (tally) => testVitest(tally, "TypeScript and the package", "vitest.json");

/** The tests of ropes and models once more, over native code. */
export const testNativePackage = (tally) =>
  testVitest(tally, "The package over native code", "vitest-native.json", { ROPEWALK_BACKEND: "native" });

export async function testBrowser(tally) {
  const report = reportPath("playwright.json");
  const env = { ...toolchainEnvironment(), PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  const command = [npmProgram("playwright"), "test", "--reporter=list,json"];
  await testStage(tally, "The playground in Chromium and Firefox", [command], env, report, countPlaywright);
  for (const name of flakyTests(report)) say(`   flaky, passed on its second try: ${name}`);
}
