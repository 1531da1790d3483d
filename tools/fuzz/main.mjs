// `npm run fuzz`: each target for ten minutes. Those in C++ (tests/fuzz) run under libFuzzer, those in JavaScript and Python
// (its folders of these names) under Jazzer.js and Atheris, which are libFuzzer over the code of these languages; and
// `javascript` is the properties of tests/ts/any-files.test.ts. `npm run fuzz -- json config --minutes=1` runs some of them,
// or for another time. Each target that ends puts its row into docs/trust.md. What is found lies in build/fuzz/:
// `corpus/NAME` has the inputs that reach new code, `findings/NAME-` the inputs that break a promise.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { buildPreset, installPython, sharedLibrary } from "../run/builds.mjs";
import { chosen } from "../run/names.mjs";
import { npmProgram, stage } from "../run/stages.mjs";
import { inCache } from "../setup/cache.mjs";
import { run, which } from "../setup/commands.mjs";
import { fromRoot, projectRoot, readToolchain, toolchainEnvironment } from "../setup/environment.mjs";
import { setUpNpmPackages } from "../setup/npm-packages.mjs";
import { SetUpError, say } from "../setup/progress.mjs";
import { about, FUZZ_TARGETS, record } from "../trust/document.mjs";

const LONGEST_INPUT = 1 << 16;
const JAVASCRIPT = "javascript";
/** Newer ones are not tried. */
const JAZZER = "4.0.0";
const ATHERIS = "3.0.0";

const folderOf = (...path) => {
  const folder = fromRoot("build/fuzz", ...path);
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** The file of a target: `js_tokenizer` is javascript/tokenizer.ts. */
const sourceOf = (name) => name.replace(/^(js|py)_/, "").replaceAll("_", "-");
const isOf = (language) => (name) => name.startsWith(`${language}_`);

/** The files and folders that a target begins with: for C++ as tests/fuzz/CMakeLists.txt lists them. */
function seedsOf(name) {
  if (isOf("js")(name) || isOf("py")(name)) return [fromRoot("tests/fuzz/corpus", name)].filter(existsSync);
  return readFileSync(fromRoot("build/fuzz/tests/fuzz", `${name}.seeds`), "utf8")
    .split("\n")
    .filter(existsSync);
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

/** Jazzer.js in a folder of its own, and each target in one file with the sources that it imports. */
async function buildJavaScript(names) {
  const folder = folderOf("javascript");
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: { "@jazzer.js/core": JAZZER } }),
  );
  await setUpNpmPackages(folder, ["--ignore-scripts"]);
  const ropewalk = {
    name: "the package as it is published",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^ropewalk$/ }, () => ({ path: fromRoot("dist/external-node.js"), external: true })),
  };
  await build({
    entryPoints: names.map((name) => fromRoot("tests/fuzz/javascript", `${sourceOf(name)}.ts`)),
    outdir: join(folder, "targets"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    // Golden files are found from the folder of the helpers.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(fromRoot("tests/ts/golden.ts")).href) },
    plugins: [ropewalk],
    logLevel: "warning",
  });
}

/** The Python package and Atheris in an environment of their own. */
async function buildPython() {
  const { python } = readToolchain();
  if (!python) throw new SetUpError("Targets in Python need python3 with pip.");
  await buildPreset("release", "ropewalk_c");
  const { commands, env } = installPython(python, sharedLibrary(), "build/fuzz/python");
  const pip = [python.program, "-m", "pip", "--quiet", "--python", PYTHON(), "install", "--only-binary=:all:"];
  await stage("Python package", commands, { env: { ...toolchainEnvironment(), ...env } });
  await stage("Atheris", [[...pip, `atheris==${ATHERIS}`]], { env: { ...process.env, ...python.env } });
}
const PYTHON = () => fromRoot("build/fuzz/python/environment/bin/python");

/** The command of a target, without the options of libFuzzer, which follow. */
function commandOf(name, corpus) {
  if (isOf("py")(name)) return [PYTHON(), fromRoot("tests/fuzz/python", `${sourceOf(name)}.py`), corpus];
  if (!isOf("js")(name)) return [fromRoot("build/fuzz/tests/fuzz", `ropewalk_fuzz_${name}`), corpus];
  const folder = fromRoot("build/fuzz/javascript");
  // Jazzer.js is built for a newer C library than that of Debian 12: set-up has one beside its Emscripten.
  const library = inCache("debian-testing/usr/lib/x86_64-linux-gnu");
  const loader = join(library, "ld-linux-x86-64.so.2");
  const node = existsSync(loader) ? [loader, "--library-path", library, process.execPath] : [process.execPath];
  const cli = join(folder, "node_modules/@jazzer.js/core/dist/cli.js");
  const watched = [fromRoot("dist/"), join(folder, "targets/")].flatMap((path) => ["--includes", path]);
  const target = join(folder, "targets", `${sourceOf(name)}.mjs`);
  return [...node, cli, target, corpus, ...watched, "--timeout=20000", "--"];
}

/** Prints how a target fared, and the end of its output if it broke a promise. True if it did. */
function sayResult(name, tried, { code, output }) {
  const broken = code !== 0;
  say(`${name.padEnd(12)} ${tried}: ${broken ? "BROKEN" : "no promise broken"}`);
  if (broken) say(output.split("\n").slice(-60).join("\n"));
  return broken;
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
  const [program, ...first] = commandOf(name, corpus);
  const args = [
    ...first,
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
  const broken = sayResult(
    name,
    `${executions.toLocaleString("en")} executions, ${reached} edges of the code reached`,
    result,
  );
  return { seeds: files.length, executions, reached, broken };
}

/** Properties of the package's readers. fast-check makes the inputs, without looking at which code they reach. */
async function fuzzJavaScript(minutes) {
  const file = "tests/ts/any-files.test.ts";
  const properties = readFileSync(fromRoot(file), "utf8").match(/tries\(\d+\)/g).length;
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
  const broken = sayResult(JAVASCRIPT, `${executions.toLocaleString("en")} executions`, result);
  return { seeds: 0, executions, broken };
}

export async function main(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    options: { minutes: { type: "string", default: "10" } },
    allowPositionals: true,
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new SetUpError(`--minutes is ${values.minutes}; allowed: a number above 0`);
  const wanted = chosen("target", Object.keys(FUZZ_TARGETS), positionals);
  const tried = new Map(wanted.map((name) => [name, about("fuzz", name)]));
  const [scripts, modules] = [wanted.filter(isOf("js")), wanted.filter(isOf("py"))];
  const programs = wanted.filter((name) => name !== JAVASCRIPT && !scripts.includes(name) && !modules.includes(name));
  if (programs.length > 0) {
    if (!which("clang++")) throw new SetUpError("libFuzzer comes with clang: install it (Debian: apt install clang).");
    const targets = programs.map((name) => `ropewalk_fuzz_${name}`);
    await buildPreset("fuzz", targets);
  }
  if (scripts.length > 0) await buildJavaScript(scripts);
  if (modules.length > 0) await buildPython();
  let broken = false;
  for (const name of wanted) {
    const figures = await (name === JAVASCRIPT ? fuzzJavaScript(minutes) : fuzz(name, minutes));
    // At once, so that a run which is interrupted keeps the targets that it has finished.
    record("fuzz", name, { minutes, ...figures }, tried.get(name));
    broken ||= figures.broken;
  }
  return broken ? 1 : 0;
}
