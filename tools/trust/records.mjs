// The records of the documents, and the code that each of them measures. A record is old once that code differs from the code of
// its commit: docs/trust.md names those that are, and tests/ts/history.test.ts fails where it does not.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { suiteOf } from "../../tests/bench/report/runs.mjs";
import { table } from "../markdown.mjs";
import { git } from "../run/git.mjs";
import { fromRoot } from "../setup/environment.mjs";

const LIBRARY = ["cpp", "CMakeLists.txt", "CMakePresets.json"];
const C = [...LIBRARY, "bindings/c"];
const PYTHON = [...C, "bindings/python", "pyproject.toml"];
const PACKAGE = [
  ...LIBRARY,
  "bindings/embind",
  "bindings/ts",
  ...["build", "grammar-library", "wasm-modules"].map((name) => `tools/package/${name}.mjs`),
];
/** Pages and fuzzing call no commands. */
const NO_COMMANDS = ":(exclude)bindings/ts/cli";
/** A file of its own in the package, which is loaded where offsets of tokens are asked for. */
const NO_OFFSETS = ":(exclude)bindings/ts/model/text/offsets.ts";
/** The package where models run: commands, analysis and chat templates are files of their own as well. */
const MODELS = [
  ...PACKAGE,
  ...["cli", "analysis", "model/chat/jinja"].map((name) => `:(exclude)bindings/ts/${name}`),
  NO_OFFSETS,
];
const NODE = ["CMakeLists.txt", "index.cjs", "src"].map((name) => `bindings/node/${name}`);
/** The C++ suite links the translation of the experiments. */
const CPP_SUITE = [...LIBRARY, "tests/cpp", "tools/experiments/translation"];
/** The code that measures, apart from what starts it and writes the documents. */
const BENCH = [
  "tests/bench",
  ...["report", "*main.mjs", "arguments.mjs", "compare.mjs", "machine.mjs", "pairs.mjs"].map(
    (name) => `:(exclude)tests/bench/${name}`,
  ),
];
const TRUST = "docs/trust/results.json";

/** The folders of cpp/src that ropewalk_readers of tests/fuzz/CMakeLists.txt has; files alone need two of them. */
const FILES = ["base", "formats"];
const READERS = [...FILES, "arch", "kernels", "options", "reference", "rope", "rope_config"];
const FUZZED_FOLDERS = {
  ...{ json: FILES, safetensors: FILES, gguf: FILES },
  ...{ config: READERS, options: READERS, rotate: READERS, rotate_by: READERS },
};

function fuzzed(name) {
  const script = (folder, ending) => `tests/fuzz/${folder}/${name.slice("js_".length).replaceAll("_", "-")}.${ending}`;
  if (name === "javascript")
    return [...PACKAGE, NO_COMMANDS, "tests/ts/any-files.test.ts", "tests/ts/changed-files.ts"];
  const offsets = name === "js_tokenizer" ? [] : [NO_OFFSETS];
  if (name.startsWith("js_"))
    return [...PACKAGE, NO_COMMANDS, ...offsets, script("javascript", "ts"), "tests/fuzz/javascript/input.ts"];
  if (name.startsWith("py_")) return [...PYTHON, script("python", "py")];
  const target = [`tests/fuzz/${name}.cpp`, "tests/fuzz/*.hpp"];
  if (name === "c") return [...C, ...target];
  const folders = FUZZED_FOLDERS[name]?.map((folder) => `cpp/src/${folder}`);
  return [...(folders ? ["cpp/include", ...folders] : LIBRARY), ...target, ":(exclude)tests/fuzz/c_*.hpp"];
}

const SANITIZED = {
  addresses: [...CPP_SUITE, "bindings/c", "tests/c", "tests/fuzz/*.cpp", "tests/fuzz/*.hpp"],
};

const INSTALLED = {
  headers: ["cpp/include"],
  doxygen: ["cpp/include", "tests/install/Doxyfile"],
  fetchcontent: C,
  debian: [...C, "tools/release/debian"],
  wheel: [...PYTHON, "tests/python"],
  ray: [...PYTHON, "tests/install/at_scale.py"],
};

const commitsOf = (rows = {}) => Object.entries(rows).map(([name, { commit }]) => ({ name, commit }));

/**
 * The kinds of records: `file` has them, `command` makes them again, `rows` names each with its commit, and `parts` are the
 * paths of git that a row measures. Documents, what commands write into the playground and tests that do not run are none.
 */
export const RECORDS = {
  fuzz: {
    title: "Fuzzing",
    file: TRUST,
    command: "npm run fuzz",
    rows: ({ fuzz }) => commitsOf(fuzz),
    parts: fuzzed,
  },
  sanitize: {
    title: "Sanitizers",
    file: TRUST,
    command: "npm run test:sanitize",
    rows: ({ sanitize }) => commitsOf(sanitize),
    parts: (name) => SANITIZED[name] ?? CPP_SUITE,
  },
  neon: {
    title: "64-bit ARM",
    file: TRUST,
    command: "npm run test:neon",
    rows: ({ neon }) => commitsOf(neon),
    parts: () => CPP_SUITE,
  },
  hosts: {
    title: "[Hosts](hosts.md)",
    file: TRUST,
    command: "npm run test:hosts",
    rows: ({ hosts }) => commitsOf(hosts),
    parts: () => [
      ...PACKAGE,
      // Hosts call no commands, no checker and no chat, and ask for no offsets.
      ...["cli", "analysis/check", "model/chat/jinja"].map((name) => `:(exclude)bindings/ts/${name}`),
      NO_OFFSETS,
      "tools/package/types.mjs",
      "tools/package/tsconfig.json",
      "tests/hosts/hosts",
      ...["browsers", "folder", "results", "steps"].map((name) => `tests/hosts/${name}.mjs`),
    ],
  },
  install: {
    title: "C++ library and Python package",
    file: TRUST,
    command: "npm run test:install",
    rows: ({ install }) => commitsOf(install),
    parts: (name) => INSTALLED[name],
  },
  performance: {
    title: "[Performance](performance.md)",
    file: "docs/performance/results.json",
    command: "npm run bench -- --document",
    rows: ({ groups = [], machine }) =>
      groups.map((group) => ({ name: suiteOf(group), commit: (group.run?.machine ?? machine).commit })),
    parts: (name = "") => [
      ...(name.startsWith("native") ? LIBRARY : [...MODELS, ...NODE]),
      "tools/plain",
      ...BENCH,
      ":(exclude)tests/bench/published",
    ],
  },
  published: {
    title: "[Published weights](performance.md#published-weights), times",
    file: "docs/performance/published.json",
    command: "npm run bench:published",
    rows: (results) => Object.entries(results).map(([name, { run }]) => ({ name, commit: run.commit })),
    parts: () => [...MODELS, ...NODE, ...BENCH, "tests/published/measures.mjs"],
  },
  weights: {
    title: "[Published weights](published.md), agreement",
    file: "docs/published/results.json",
    command: "npm run test:published",
    rows: ({ rows }) => rows.map(({ model, commit }) => ({ name: model, commit })),
    parts: () => [
      ...MODELS,
      ...["measures.mjs", "models.mjs", "native-host.mjs", "native.cpp", "package-host.mjs"].map(
        (name) => `tests/published/${name}`,
      ),
    ],
  },
  experiments: {
    title: "[Experiments](results.md)",
    file: "docs/results/results.json",
    command: "npm run experiments",
    rows: ({ recorded }) => commitsOf(recorded),
    parts: () => [
      ...LIBRARY,
      // The program that trains has nothing of them.
      ...["decoder", "index"].map((name) => `:(exclude)cpp/src/${name}`),
      "tools/experiments/*.cpp",
      "tools/experiments/*.hpp",
      "tools/experiments/translation",
      ...["choose", "glue-metrics", "keys", "plan", "runs", "summary"].map((name) => `tools/experiments/${name}.mjs`),
      ":(exclude)tools/experiments/throughput.*",
    ],
  },
  throughput: {
    title: "[Training throughput](results.md#training-throughput)",
    file: "docs/results/throughput.json",
    command: "npm run experiments -- --throughput",
    rows: (results) => [{ name: "throughput", commit: results.commit }],
    parts: () => [
      ...MODELS,
      ...["plan.mjs", "run.cpp", "throughput.cpp", "throughput.mjs", "wasm-throughput.mjs"].map(
        (name) => `tools/experiments/${name}`,
      ),
    ],
  },
  vitals: {
    title: "[Web vitals](web-vitals.md)",
    file: "docs/web-vitals.md",
    command: "ROPEWALK_VITALS=1 npx playwright test --workers=1 vitals",
    rows: (text) => [{ name: "pages", commit: /Commit ([0-9a-f]{12}(?: with changes)?), /.exec(text)?.[1] }],
    parts: () => [
      ...PACKAGE,
      NO_COMMANDS,
      NO_OFFSETS,
      "web",
      "tools/plain",
      "tests/browser/pages.ts",
      "tests/browser/vitals.spec.ts",
      ":(exclude,glob)web/pages/*/*.json",
    ],
  },
};

/** The paths of git whose code a record measures. */
export const partsOf = (kind, name) => [...RECORDS[kind].parts(name), ":(exclude,glob)**/*.md"];

function succeeds(...args) {
  try {
    git(...args);
    return true;
  } catch {
    return false;
  }
}

/** False in a copy without a history, and in a clone of the last commits alone. */
export function hasHistory() {
  try {
    return git("rev-parse", "--is-shallow-repository") === "false";
  } catch {
    return false;
  }
}

export const isInHistory = (commit) => succeeds("merge-base", "--is-ancestor", commit, "HEAD");

/** Matches lines that are a comment and nothing else, in C, C++, CSS, TypeScript, CMake and Python. */
export const COMMENT = "^ *(//|/\\*([^*]|\\*+[^*/])*(\\*+/?)?$|\\* |\\*/|# )";

/** Code of C or C++ without comments of whole lines, line breaks and spaces between words; a text in parts is one. */
export const unformatted = (code) =>
  code
    .split("\n")
    .filter((line) => !new RegExp(COMMENT).test(line))
    .join("\n")
    .replaceAll(/"\s*"/g, "")
    .replaceAll(/("(?:\\.|[^"\\])*")|\s+/g, "$1");

/** True if a file of C or C++ differs from that of a commit in nothing but where its lines and texts are broken. */
function isReformatted(commit, file) {
  if (!/\.[ch](pp)?$/.test(file) || !existsSync(fromRoot(file)) || !succeeds("cat-file", "-e", `${commit}:${file}`))
    return false;
  return unformatted(git("show", `${commit}:${file}`)) === unformatted(readFileSync(fromRoot(file), "utf8"));
}

/**
 * True if the code of `parts` has changed since a commit, or files were added; also for a commit that does not exist.
 * Changed comments do not count, nor do line breaks of C and C++.
 */
export function differsFrom(commit, parts) {
  if (git("ls-files", "--others", "--exclude-standard", "--", ...parts) !== "") return true;
  if (succeeds("diff", "--quiet", `--ignore-matching-lines=${COMMENT}`, commit, "--", ...parts)) return false;
  if (!succeeds("cat-file", "-e", commit)) return true;
  // With this option the names alone would be those of all changed files.
  const changed = git("diff", "--numstat", `--ignore-matching-lines=${COMMENT}`, commit, "--", ...parts)
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([added, removed]) => added !== "0" || removed !== "0");
  return changed.length === 0 || !changed.every(([, , file]) => isReformatted(commit, file));
}

/** A name for the committed code that a record measures. */
export function codeOf(kind, name) {
  const files = git("ls-files", "--stage", "--", ...partsOf(kind, name));
  return createHash("sha256").update(files).digest("hex").slice(0, 12);
}

/** { kind, name, commit } of each record, a row of several figures once for each commit; `commit` may be missing. */
export function allRecords() {
  const found = new Map();
  for (const [kind, { file, rows }] of Object.entries(RECORDS)) {
    const text = readFileSync(fromRoot(file), "utf8");
    for (const { name, commit } of rows(file.endsWith(".json") ? JSON.parse(text) : text))
      found.set(`${kind} ${name} ${commit}`, { kind, name, commit });
  }
  return [...found.values()];
}

/** The records whose code has changed since, and those without a commit. */
export function oldRecords(records = allRecords()) {
  const known = new Map();
  return records.filter(({ kind, name, commit }) => {
    if (commit === undefined) return true;
    const parts = partsOf(kind, name);
    const key = JSON.stringify([commit, parts]);
    if (!known.has(key)) known.set(key, differsFrom(commit, parts));
    return known.get(key);
  });
}

const HEADING = "## Records of older code";

/** The section of docs/trust.md that says which records are old; ends with an empty line. */
export function oldRecordsSection() {
  const records = allRecords();
  const groups = new Map();
  for (const record of oldRecords(records)) {
    const key = `${record.kind} ${record.commit}`;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const rows = [...groups.values()].map((old) => {
    const { kind, commit = "not recorded" } = old[0];
    const { title, command } = RECORDS[kind];
    const isWhole = old.length === records.filter((each) => each.kind === kind).length;
    const names = isWhole ? "all" : old.map(({ name }) => `\`${name}\``).join(", ");
    return [title, names, commit, `\`${command}\``];
  });
  return [
    HEADING,
    "",
    "`npm run records` compares the code that each record measured with the code that is here, and writes this section.",
    "`tools/trust/records.mjs` says which files a record measures, and a test fails while the section is not true.",
    "",
    ...(rows.length === 0
      ? ["Each record was made with the code that is here."]
      : [
          "The code of these records has changed since their commit, or they name no commit:",
          "",
          table(["record", "rows", "commit", "measured again by"], rows),
        ]),
    "",
    "",
  ].join("\n");
}

/** The same section as a page has it. */
export const sectionIn = (page) => new RegExp(`^${HEADING}\n[^]*?(?=^## )`, "m").exec(page)?.[0] ?? "";
