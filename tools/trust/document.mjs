// docs/trust.md, from docs/trust/results.json. `npm run fuzz`, `test:sanitize`, `test:neon`, `test:hosts` and `test:install`
// put a row into it for each thing that they ran to its end, with the commit, the date and the machine, so that a run which
// is interrupted keeps what it had finished. `npm run records` writes the page again without a run.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { table } from "../markdown.mjs";
import { git } from "../run/git.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { differsFrom, hasHistory, oldRecordsSection, partsOf, sectionIn } from "./records.mjs";

/**
 * The inputs that each target of `npm run fuzz` tries. All but `javascript` lie in tests/fuzz; those whose names begin with
 * js_ and py_ lie in its folders javascript and python.
 */
export const FUZZ_TARGETS = {
  json: "the JSON reader",
  safetensors: "safetensors files: header, tensors, writing them again",
  gguf: "GGUF files: header, metadata, tensors",
  config: "config.json of Hugging Face and GGUF metadata as options of a rope",
  options: "options of a rope as JSON",
  rotate: "rotation and its inverse on every architecture, against the float64 reference",
  rotate_by: "rotation by given angles and its gradient on every architecture, against float64",
  model: "config.json as an encoder, and one pass of it",
  decoder: "GGUF and safetensors files as a decoder, and one token of it",
  encoder: "GGUF files as an encoder, and one pass of it",
  cache: "operations on cached keys in any order",
  vectors: "codes and bounds of an index on every architecture, against float64",
  c: "calls of the C interface in any order, with null pointers and wrong counts",
  js_tokenizer: "tokenizer.json: tokens, offsets and text of any text",
  js_chat: "chat templates and conversations",
  js_index_file: "the file of an index, and searches in it",
  js_gguf: "GGUF files of encoders in the package, with their vocabularies",
  py_check: "`check` of the Python package: configurations, tables and rows",
  py_arrays: "the Python package: arrays of any shape, type and order, and what is none",
  javascript:
    "the package: files of encoders and decoders, tokenizers, chat templates, indexes, GGUF, angles, TSV, npy",
};

/** The suites of `npm run test:sanitize`. */
export const SANITIZED_SUITES = {
  addresses: "C++ suite and fuzz corpora under AddressSanitizer and UndefinedBehaviorSanitizer",
  threads: "what threads share, under ThreadSanitizer",
  guards: "C++ suite as it is shipped, with a page behind each buffer that nobody may touch",
  wasm: "C++ suite as WebAssembly with `SAFE_HEAP` and `ASSERTIONS=2`",
};

/** The suites of `npm run test:neon`, without and with `-- --all`. */
export const NEON_SUITES = {
  architectures: "tests of the code that differs by instruction set, and of what is built on it",
  all: "C++ suite",
};

/** The checks of `npm run test:install`. */
export const INSTALL_CHECKS = {
  headers: "each public header alone, without a warning, under clang",
  doxygen: "every public symbol of C and C++ is documented",
  fetchcontent: "FetchContent without a flag, and without anything of the set-up",
  debian: "a Debian package by dpkg-buildpackage, unpacked and used",
  wheel: "the Python package from its sources in an empty environment, its tests and types",
  ray: "a corpus embedded with Ray Data by one worker, by two, and by two of which one is killed",
};

const NOT_TRIED = [
  "ThreadSanitizer ran on native code alone, and on the tests that use threads: a rope that threads share, training, and\n  one call on several threads. No sanitizer watches the memory that threads share in WebAssembly.",
  "The modules of the package are not built with Emscripten's `SAFE_HEAP`; only the C++ suite is.",
  "Buffers have a size that is a multiple of 64 bytes, so neither AddressSanitizer nor a guard page notices an access to\n  the padding at their end, which has up to 63 bytes.",
  "Nothing ran on Windows, on macOS or on an ARM processor: `npm run test:neon` emulates one.",
  "MemorySanitizer, which finds reads of memory that nothing has written, was not used: it needs a C++ library that is\n  built with it as well.",
];

const FILE = fromRoot("docs/trust/results.json");
const PAGE = fromRoot("docs/trust.md");

const readResults = () => JSON.parse(readFileSync(FILE, "utf8"));

/** The commit, "with changes" where these paths have some. */
function commitOf(parts) {
  try {
    return git("rev-parse", "--short=12", "HEAD") + (differsFrom("HEAD", parts) ? " with changes" : "");
  } catch {
    // A copy without git.
    return "unknown";
  }
}

/**
 * The commit that a record is of, the day, the machine, and how many processes ran or waited in the minute before. Changes
 * count in the code that it measures (records.mjs).
 */
export const about = (kind, name) => ({
  commit: commitOf(partsOf(kind, name)),
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus()[0]?.model.trim()} (${cpus().length} processors)`,
  load: Number(loadavg()[0].toFixed(2)),
});

/** Puts a row into a part of the results, which records.mjs has as a kind, and writes the page again. */
export function record(part, name, figures, tried = about(part, name)) {
  const results = readResults();
  results[part] = { ...results[part], [name]: { ...tried, ...figures } };
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
  writeTrustPage();
}

/** Writes docs/trust.md. Without a history its section about old records stays as it is. */
export function writeTrustPage() {
  const old = hasHistory() ? oldRecordsSection() : sectionIn(readFileSync(PAGE, "utf8"));
  writeFileSync(PAGE, trustPage(readResults(), old));
}

const whole = (number) => (number === undefined ? "" : number.toLocaleString("en"));
/** The lines of a table, none without rows. */
const tableOf = (head, rows, align) => (rows.length === 0 ? [] : [table(head, rows, align)]);
const missing = (rows, names) => {
  const without = Object.keys(names).filter((name) => !rows[name]);
  if (without.length === 0) return [];
  // Behind a table, or in its place.
  const gap = without.length < Object.keys(names).length ? [""] : [];
  return [...gap, `Not run yet: ${without.map((name) => `\`${name}\``).join(", ")}.`];
};
const machines = (rows) => {
  const all = [...new Set(Object.values(rows).map(({ machine }) => machine))];
  return all.length > 0 ? ["", `Machine: ${all.join("; ")}.`] : [];
};
const loads = (rows) => {
  const all = Object.values(rows).flatMap(({ load }) => load ?? []);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const range = least === most ? least : `${least} to ${most}`;
  return all.length > 0 ? [`In the minute before, ${range} processes ran or waited for a processor.`] : [];
};
const known = (rows, names) => Object.keys(names).filter((name) => rows[name]);

function fuzzing({ fuzz = {} }) {
  const rows = known(fuzz, FUZZ_TARGETS).map((name) => {
    const { minutes, seeds, executions, reached, broken, commit, date } = fuzz[name];
    const counts = [minutes, seeds, executions, reached].map(whole);
    return [`\`${name}\``, FUZZ_TARGETS[name], ...counts, broken ? "**yes**" : "no", commit, date];
  });
  const total = (names) => names.reduce((sum, name) => sum + fuzz[name].executions, 0);
  const guided = known(fuzz, FUZZ_TARGETS).filter((name) => name !== "javascript");
  // Written by hand beside a target that broke a promise.
  const found = known(fuzz, FUZZ_TARGETS).filter((name) => fuzz[name].broken && fuzz[name].found);
  return [
    "## Fuzzing",
    "",
    "`npm run fuzz` gives each target ten minutes; the column *minutes* says what it had here. libFuzzer changes the files of a corpus, keeps",
    "the changes that reach new code, and runs under AddressSanitizer and UndefinedBehaviorSanitizer. The first lines of each",
    "file in `tests/fuzz` say which promises any input must keep. Targets whose names begin with `js_` and `py_` run under",
    "Jazzer.js and Atheris: the same engine, which sees the branches of the code in these languages and none of the compiled",
    "code below it. *Seeds* are the inputs that a target began with, *edges* the branches that its inputs reached. `javascript` is `tests/ts/any-files.test.ts`: fast-check changes the files of small models, and each call",
    "has to answer, or to fail with an error that names the function and leaves no memory behind.",
    "",
    ...(rows.length === 0
      ? []
      : [
          `The targets that are guided by the code that an input reaches tried ${whole(total(guided))} inputs. ${fuzz.javascript ? `\`javascript\`, which is not guided, tried ${whole(total(["javascript"]))}.` : ""}`,
          "",
        ]),
    ...tableOf(
      ["target", "what it tries", "minutes", "seeds", "inputs", "edges reached", "a promise broken", "commit", "date"],
      rows,
      "llrrrrlll",
    ),
    ...found.flatMap((name) => ["", `\`${name}\`: ${fuzz[name].found}`]),
    ...missing(fuzz, FUZZ_TARGETS),
    ...machines(fuzz),
    ...loads(fuzz),
    "",
  ];
}

/** Counts of tests, a row for each suite that has run. */
function suites(ran, names) {
  const rows = known(ran, names).map((name) => {
    const { passed, failed, skipped, commit, date } = ran[name];
    const failures = failed > 0 ? `**${whole(failed)}**` : "0";
    return [`\`${name}\``, names[name], whole(passed), failures, whole(skipped), commit, date];
  });
  return [
    ...tableOf(["suite", "what runs", "passed", "failed", "skipped", "commit", "date"], rows, "llrrrll"),
    ...missing(ran, names),
    ...machines(ran),
    "",
  ];
}

function sanitizers({ sanitize = {} }) {
  return [
    "## Sanitizers",
    "",
    "`npm run test:sanitize` builds the tests with checks that stop at the first wrong access to memory, and runs them. The",
    "suites differ in size: `addresses` replays the fuzz corpora as well, and `wasm` has one architecture, native code three.",
    "",
    ...suites(sanitize, SANITIZED_SUITES),
  ];
}

function neon({ neon = {} }) {
  return [
    "## 64-bit ARM",
    "",
    "`npm run test:neon` builds the C++ tests for 64-bit ARM and runs them under qemu, which emulates the processor.",
    "`-- --all` runs the whole suite.",
    "",
    ...suites(neon, NEON_SUITES),
  ];
}

function hosts({ hosts: { hosts: run } = {} }) {
  return [
    "## Hosts",
    "",
    "`npm run test:hosts` installs the packed package into empty projects, and runs it in bundlers, runtimes, test runners",
    "and browsers. Their names and versions are on a [page of their own](hosts.md).",
    "",
    ...(run
      ? [
          `Of ${run.tried} hosts ${run.passed} passed every step that they can run, ${run.failed} failed, and ${run.missing} did not run, or cannot run the package. That page says why, and which steps a host lacks.`,
          `${run.typescript} versions of TypeScript checked the declarations. Commit ${run.commit}, ${run.date}.`,
        ]
      : ["Not run since this page began to be recorded."]),
    "",
  ];
}

function installs({ install = {} }) {
  const rows = known(install, INSTALL_CHECKS).map((name) => {
    const { passed, detail, commit, date } = install[name];
    return [`\`${name}\``, INSTALL_CHECKS[name], passed ? detail : "**failed**", commit, date];
  });
  return [
    "## The C++ library and the Python package",
    "",
    "`npm run test:install` uses them as a stranger's program does. `npm test` holds the shorter forms: headers under g++,",
    "`cmake --install`, `find_package` and pkg-config with the programs that the documents show, and a wheel of the shared",
    "library in an empty environment.",
    "",
    ...tableOf(["check", "what must hold", "found", "commit", "date"], rows),
    ...missing(install, INSTALL_CHECKS),
    ...machines(install),
    "",
  ];
}

/** The page as Markdown. `old` is its section about records of older code. */
export function trustPage(results, old = "") {
  return [
    "# How we tried to break Ropewalk",
    "",
    "Every change has to pass `npm test`. It replays, under sanitizers, the inputs of the fuzz targets that read files and",
    "configurations, and tries a table of hostile calls in C++ and TypeScript. The commands below take longer. Each writes its rows of this page from its",
    "own output, with the commit that it ran; [results.json](trust/results.json) has the same figures.",
    "",
    ...fuzzing(results),
    ...sanitizers(results),
    ...neon(results),
    ...hosts(results),
    ...installs(results),
    `${old}## Not tried`,
    "",
    ...NOT_TRIED.map((text) => `- ${text}`),
    "",
  ].join("\n");
}
