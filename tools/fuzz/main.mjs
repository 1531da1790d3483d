// `npm run fuzz`: each target of tests/fuzz under libFuzzer for ten minutes, and as long the properties of
// tests/ts/any-files.test.ts, the target `javascript`. `npm run fuzz -- json config --minutes=1` runs some of them, or
// for another time. Each target that ends puts its row into docs/trust.md. What is found lies in build/fuzz/:
// `corpus/NAME` has the inputs that reach new code, `findings/NAME-` the inputs that break a promise.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { buildNative } from "../run/builds.mjs";
import { npmProgram } from "../run/stages.mjs";
import { run, which } from "../setup/commands.mjs";
import { projectRoot } from "../setup/environment.mjs";
import { SetUpError, say } from "../setup/progress.mjs";
import { about, FUZZ_TARGETS, record } from "../trust/document.mjs";

const LONGEST_INPUT = 1 << 16;
const JAVASCRIPT = "javascript";

const folderOf = (...path) => {
  const folder = join(projectRoot(), "build/fuzz", ...path);
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** The files and folders that a target begins with, as tests/fuzz/CMakeLists.txt lists them. */
function seedsOf(name) {
  const list = join(projectRoot(), "build/fuzz/tests/fuzz", `${name}.seeds`);
  return readFileSync(list, "utf8").split("\n").filter(existsSync);
}

function* filesIn(path) {
  if (!statSync(path).isDirectory()) return yield path;
  for (const entry of readdirSync(path)) yield* filesIn(join(path, entry));
}

/** Words of the seeds that are worth putting elsewhere: names and short texts of JSON. */
function dictionary(files) {
  const words = new Set();
  for (const file of files) {
    for (const [word] of readFileSync(file, "latin1").matchAll(/"[\w.]{2,40}"/g)) words.add(word);
  }
  return [...words].map((word) => `"${word.replaceAll('"', '\\"')}"\n`).join("");
}

async function fuzz(name, minutes) {
  const corpus = folderOf("corpus", name);
  const files = seedsOf(name).flatMap((seed) => [...filesIn(seed)]);
  files.forEach((file, index) => {
    if (statSync(file).size <= LONGEST_INPUT) copyFileSync(file, join(corpus, `seed-${index}-${basename(file)}`));
  });
  const words = dictionary(files);
  const wordsFile = join(folderOf("dictionaries"), `${name}.txt`);
  writeFileSync(wordsFile, words);
  const program = join(projectRoot(), "build/fuzz/tests/fuzz", `ropewalk_fuzz_${name}`);
  const args = [
    corpus,
    `-max_total_time=${Math.round(60 * minutes)}`,
    `-max_len=${LONGEST_INPUT}`,
    "-timeout=20",
    "-rss_limit_mb=2048",
    "-print_final_stats=1",
    // libFuzzer refuses an empty one.
    ...(words ? [`-dict=${wordsFile}`] : []),
    `-artifact_prefix=${folderOf("findings")}/${name}-`,
  ];
  const result = await run(program, args, { cwd: projectRoot(), env: process.env });
  const executions = Number(/number_of_executed_units:\s*(\d+)/.exec(result.output)?.[1] ?? 0);
  const reached = Number(/cov: (\d+)(?![\s\S]*cov: )/.exec(result.output)?.[1] ?? 0);
  say(
    `${name.padEnd(12)} ${executions.toLocaleString("en")} executions, ${reached} edges of the code reached: ` +
      (result.code === 0 ? "no promise broken" : "BROKEN"),
  );
  if (result.code !== 0) say(result.output.split("\n").slice(-40).join("\n"));
  return { seeds: files.length, executions, reached, broken: result.code !== 0 };
}

/** Properties of the package's readers. fast-check makes the inputs, without looking at which code they reach. */
async function fuzzJavaScript(minutes) {
  const file = "tests/ts/any-files.test.ts";
  const properties = readFileSync(join(projectRoot(), file), "utf8").match(/tries\(\d+\)/g).length;
  // The encoder's property runs with three tokenizers.
  const seconds = (60 * minutes) / (properties + 2);
  const env = { ...process.env, ROPEWALK_FUZZ_SECONDS: String(seconds), NO_COLOR: "1" };
  const args = [
    npmProgram("vitest"),
    "run",
    "--project",
    "ts",
    file,
    `--testTimeout=${Math.ceil(4000 * seconds + 60_000)}`,
  ];
  const result = await run(process.execPath, args, { cwd: projectRoot(), env });
  const executions = Number(/any-files: (\d+) inputs/.exec(result.output)?.[1] ?? 0);
  say(
    `${JAVASCRIPT.padEnd(12)} ${executions.toLocaleString("en")} executions: ` +
      (result.code === 0 ? "no promise broken" : "BROKEN"),
  );
  if (result.code !== 0) say(result.output.split("\n").slice(-60).join("\n"));
  return { seeds: 0, executions, broken: result.code !== 0 };
}

export async function main(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    options: { minutes: { type: "string", default: "10" } },
    allowPositionals: true,
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new SetUpError(`--minutes is ${values.minutes}; allowed: a number above 0`);
  if (!which("clang++")) throw new SetUpError("libFuzzer comes with clang: install it (Debian: apt install clang).");
  const names = Object.keys(FUZZ_TARGETS);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown) throw new SetUpError(`no target ${unknown}; there are ${names.join(", ")}`);
  const wanted = names.filter((name) => positionals.length === 0 || positionals.includes(name));
  const tried = about();
  const programs = wanted.filter((name) => name !== JAVASCRIPT).map((name) => `ropewalk_fuzz_${name}`);
  if (programs.length > 0) await buildNative(programs, "fuzz");
  let broken = false;
  for (const name of wanted) {
    const figures = await (name === JAVASCRIPT ? fuzzJavaScript(minutes) : fuzz(name, minutes));
    // At once, so that a run which is interrupted keeps the targets that it has finished.
    record("fuzz", name, { minutes, ...figures }, tried);
    broken ||= figures.broken;
  }
  return broken ? 1 : 0;
}
