// `npm run release:check [-- --publish]`: whether this checkout can be released. Each line of the report is a check, with
// what is wrong; the last ones are what only the publisher can fill in, which fail with --publish alone.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildModulesAgain, WASM_MODULES } from "../run/builds.mjs";
import { git } from "../run/git.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { PINNED, XSIMD_FLOOR } from "../setup/versions.mjs";
import { hasHistory, oldRecords, RECORDS } from "../trust/records.mjs";

const read = (path) => readFileSync(fromRoot(path), "utf8");
const readJson = (path) => JSON.parse(read(path));

/** One version, in each place that states it. */
function versions() {
  const { version } = readJson("package.json");
  const native = readJson("bindings/node/package.json");
  const stated = {
    "CMakeLists.txt": /project\(ropewalk VERSION (\S+)/.exec(read("CMakeLists.txt"))?.[1],
    "package-lock.json": readJson("package-lock.json").version,
    "bindings/node/package.json": native.version,
    "`peerDependencies` of bindings/node/package.json": native.peerDependencies.ropewalk,
    "CHANGELOG.md": /^## (\d\S*)/m.exec(read("CHANGELOG.md"))?.[1],
  };
  return Object.entries(stated)
    .filter(([, each]) => each !== version)
    .map(([file, each]) => `${file} says ${each}, package.json ${version}`);
}

/** Problems of the changelog: a release has no entries under "Unreleased". */
function changes() {
  return /^## Unreleased/m.test(read("CHANGELOG.md"))
    ? ['CHANGELOG.md has changes under "Unreleased": give them the version and its date']
    : [];
}

function checkout() {
  const { version } = readJson("package.json");
  const problems = [];
  try {
    if (git("status", "--porcelain") !== "") problems.push("there are changes that are not committed");
    if (!git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`))
      problems.push(`this commit has no tag v${version}`);
  } catch (error) {
    problems.push(`git: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
  return problems;
}

/** Places that wait for a name which the project does not know. */
function publishers() {
  const manifest = readJson("package.json");
  const problems = ["repository", "homepage", "bugs"]
    .filter((field) => manifest[field] === undefined)
    .map((field) => `package.json: \`${field}\``);
  for (const file of ["action.yml", "docs/checker.md", "docs/cpp.md"])
    if (read(file).includes("OWNER/ropewalk")) problems.push(`${file}: the owner in OWNER/ropewalk`);
  // npm compares it with the repository whose workflow publishes.
  if (readJson("bindings/node/package.json").repository === undefined)
    problems.push("bindings/node/package.json: `repository`");
  for (const file of ["README.md", "docs/checker.md", "docs/node-native.md", "docs/c-and-python.md"]) {
    const said = /not on (npm|PyPI) yet/.exec(read(file));
    if (said) problems.push(`${file}: how to install it from ${said[1]}`);
  }
  if (read("tools/release/debian/control").includes("OWNER@"))
    problems.push("tools/release/debian/control: the maintainer's name and address");
  return problems;
}

/** Problems of the records: each is of the code that is released. */
function records() {
  if (!hasHistory()) return ["there is no history here in which their commits can be looked up"];
  const commands = new Set(oldRecords().map(({ kind }) => RECORDS[kind].command));
  return [...commands].map((command) => `measure again what docs/trust.md names: ${command}`);
}

function notices() {
  return [
    "LICENSE",
    "dist/THIRD-PARTY.txt",
    "dist/tokenizers.LICENSE.txt",
    "dist/templates.LICENSE.txt",
    ".github/SECURITY.md",
  ]
    .filter((path) => !existsSync(fromRoot(path)))
    .map((path) => `${path} is missing`);
}

/** The checks that build nothing, with what is wrong. `publisher`: it may wait for the publisher. `dist/` is built. */
export function quickChecks() {
  return [
    { title: "One version everywhere", problems: versions() },
    { title: "One pin of each header library", problems: pins() },
    { title: "Licences and the address for reports", problems: notices() },
    { title: "The changelog names the version", problems: changes(), publisher: true },
    { title: "Records of the code that is here", problems: records(), publisher: true },
    { title: "A clean checkout with a tag", problems: checkout(), publisher: true },
    { title: "What only the publisher knows", problems: publishers(), publisher: true },
  ];
}

/** Builds the modules again, in a folder of its own and from the first file on, and compares the bytes. */
async function reproducible() {
  const again = fromRoot("build/wasm-again");
  await buildModulesAgain(again);
  const bytes = (folder, name) => readFileSync(join(folder, `bindings/embind/${name}.wasm`));
  return WASM_MODULES.filter((name) => !bytes(again, name).equals(bytes(fromRoot("build/wasm"), name))).map(
    (name) => `${name}.wasm differs from build to build`,
  );
}

/** One pin of each header library: the set-up's and that of a stranger's CMake. */
function pins() {
  const cmake = read("cpp/cmake/dependencies.cmake");
  const stated = [`xsimd.git ${PINNED.xsimd.tag})`, `json.git ${PINNED.nlohmannJson.tag})`, `_floor ${XSIMD_FLOOR})`];
  return stated
    .filter((text) => !cmake.includes(text))
    .map((text) => `cpp/cmake/dependencies.cmake has no \`${text}\`, which is what tools/setup/versions.mjs says`);
}

/** The exit code. */
export async function main(args) {
  const publish = args.includes("--publish");
  const checks = quickChecks();
  checks.push({ title: "Two builds of the modules have the same bytes", problems: await reproducible() });
  const { runChecks } = await import("../../tests/install/main.mjs");
  checks.push(...(await runChecks()));
  let failed = 0;
  for (const { title, problems, detail, publisher } of checks) {
    const waits = publisher && !publish;
    if (problems.length > 0 && !waits) failed++;
    const state = problems.length === 0 ? "ok     " : waits ? "waits  " : "failed ";
    say(`${state} ${title}${detail ? `: ${detail}` : ""}`);
    for (const problem of problems) say(`          ${problem}`);
  }
  say(failed === 0 ? "\nNothing stands in the way of a release." : `\n${failed} checks failed.`);
  if (!publish) say("What waits is for the publisher: --publish makes it fail.");
  return failed === 0 ? 0 : 1;
}
