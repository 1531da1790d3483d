// `npm run release:check [-- --publish]`: whether this checkout can be released. Each line of the report is a check, with
// what is wrong; the last ones are what only the publisher can fill in, which fail with --publish alone.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PINNED, XSIMD_FLOOR } from "../setup/versions.mjs";
import { hasHistory, oldRecords, RECORDS } from "../trust/records.mjs";

/** @typedef {{ title: string, problems: string[], detail?: string, publisher?: boolean }} Check */

const read = (root, path) => readFileSync(join(root, path), "utf8");

function git(root, ...args) {
  return execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
}

/** One version, in each place that states it. */
function versions(root) {
  const { version } = JSON.parse(read(root, "package.json"));
  const native = JSON.parse(read(root, "bindings/node/package.json"));
  const stated = {
    "CMakeLists.txt": /project\(ropewalk VERSION (\S+)/.exec(read(root, "CMakeLists.txt"))?.[1],
    "package-lock.json": JSON.parse(read(root, "package-lock.json")).version,
    "bindings/node/package.json": native.version,
    "`peerDependencies` of bindings/node/package.json": native.peerDependencies.ropewalk,
    "CHANGELOG.md": /^## (\d\S*)/m.exec(read(root, "CHANGELOG.md"))?.[1],
  };
  return Object.entries(stated)
    .filter(([, each]) => each !== version)
    .map(([file, each]) => `${file} says ${each}, package.json ${version}`);
}

/** Problems of the changelog: a release has no entries under "Unreleased". */
function changes(root) {
  return /^## Unreleased/m.test(read(root, "CHANGELOG.md"))
    ? ['CHANGELOG.md has changes under "Unreleased": give them the version and its date']
    : [];
}

function checkout(root) {
  const { version } = JSON.parse(read(root, "package.json"));
  const problems = [];
  try {
    if (git(root, "status", "--porcelain") !== "") problems.push("there are changes that are not committed");
    if (!git(root, "tag", "--points-at", "HEAD").split("\n").includes(`v${version}`))
      problems.push(`this commit has no tag v${version}`);
  } catch (error) {
    problems.push(`git: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
  return problems;
}

/** Places that wait for a name which the project does not know. */
function publishers(root) {
  const manifest = JSON.parse(read(root, "package.json"));
  const problems = ["repository", "homepage", "bugs"]
    .filter((field) => manifest[field] === undefined)
    .map((field) => `package.json: \`${field}\``);
  for (const file of ["action.yml", "docs/checker.md", "docs/cpp.md"])
    if (read(root, file).includes("OWNER/ropewalk")) problems.push(`${file}: the owner in OWNER/ropewalk`);
  // npm compares it with the repository whose workflow publishes.
  if (JSON.parse(read(root, "bindings/node/package.json")).repository === undefined)
    problems.push("bindings/node/package.json: `repository`");
  for (const file of ["README.md", "docs/node-native.md", "docs/c-and-python.md"]) {
    const said = /not on (npm|PyPI) yet/.exec(read(root, file));
    if (said) problems.push(`${file}: how to install it from ${said[1]}`);
  }
  if (read(root, "tools/release/debian/control").includes("OWNER@"))
    problems.push("tools/release/debian/control: the maintainer's name and address");
  return problems;
}

/** Problems of the records: each is of the code that is released. */
function records() {
  if (!hasHistory()) return ["there is no history here in which their commits can be looked up"];
  const commands = new Set(oldRecords().map(({ kind }) => RECORDS[kind].command));
  return [...commands].map((command) => `measure again what docs/trust.md names: ${command}`);
}

function notices(root) {
  return [
    "LICENSE",
    "dist/THIRD-PARTY.txt",
    "dist/tokenizers.LICENSE.txt",
    "dist/templates.LICENSE.txt",
    ".github/SECURITY.md",
  ]
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `${path} is missing`);
}

/** The checks that build nothing. `dist/` is built. */
export function quickChecks(root) {
  return [
    { title: "One version everywhere", problems: versions(root) },
    { title: "One pin of each header library", problems: pins(root) },
    { title: "Licences and the address for reports", problems: notices(root) },
    { title: "The changelog names the version", problems: changes(root), publisher: true },
    { title: "Records of the code that is here", problems: records(), publisher: true },
    { title: "A clean checkout with a tag", problems: checkout(root), publisher: true },
    { title: "What only the publisher knows", problems: publishers(root), publisher: true },
  ];
}

export const hashOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Builds the modules again, in a folder of its own and from the first file on, and compares the bytes. */
async function reproducible(root) {
  const { buildModules, WASM_MODULES } = await import("../run/builds.mjs");
  const again = join(root, "build/wasm-again");
  rmSync(again, { recursive: true, force: true });
  await buildModules(again);
  return WASM_MODULES.filter((name) => {
    const path = `bindings/embind/${name}.wasm`;
    return hashOf(join(again, path)) !== hashOf(join(root, "build/wasm", path));
  }).map((name) => `${name}.wasm differs from build to build`);
}

/** One pin of each header library: the set-up's and that of a stranger's CMake. */
function pins(root) {
  const cmake = read(root, "cpp/cmake/dependencies.cmake");
  const stated = [`xsimd.git ${PINNED.xsimd.tag})`, `json.git ${PINNED.nlohmannJson.tag})`, `_floor ${XSIMD_FLOOR})`];
  return stated
    .filter((text) => !cmake.includes(text))
    .map((text) => `cpp/cmake/dependencies.cmake has no \`${text}\`, which is what tools/setup/versions.mjs says`);
}

/** The exit code. */
export async function main(root, args) {
  const publish = args.includes("--publish");
  const checks = quickChecks(root);
  checks.push({ title: "Two builds of the modules have the same bytes", problems: await reproducible(root) });
  const { runChecks } = await import("../../tests/install/main.mjs");
  checks.push(...(await runChecks()));
  let failed = 0;
  for (const { title, problems, detail, publisher } of checks) {
    const waits = publisher && !publish;
    if (problems.length > 0 && !waits) failed++;
    const state = problems.length === 0 ? "ok     " : waits ? "waits  " : "failed ";
    console.log(`${state} ${title}${detail ? `: ${detail}` : ""}`);
    for (const problem of problems) console.log(`          ${problem}`);
  }
  console.log(failed === 0 ? "\nNothing stands in the way of a release." : `\n${failed} checks failed.`);
  if (!publish) console.log("What waits is for the publisher: --publish makes it fail.");
  return failed === 0 ? 0 : 1;
}
