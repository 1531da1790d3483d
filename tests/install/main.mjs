// `npm run test:install [-- NAME ...]`: the C++ library and the Python package as strangers take them, in the ways that cost minutes. The short
// ones, programs.mjs and the headers under the project's compiler, belong to `npm test`.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { chosen } from "../../tools/run/names.mjs";
import { which } from "../../tools/setup/commands.mjs";
import { installOnSystem, isDebian, isRoot } from "../../tools/setup/debian-packages.mjs";
import { fromRoot, readToolchain } from "../../tools/setup/environment.mjs";
import { say, seconds } from "../../tools/setup/progress.mjs";
import { versionIn } from "../../tools/setup/versions.mjs";
import { about, INSTALL_CHECKS, record } from "../../tools/trust/document.mjs";
import { tryPrograms } from "./programs.mjs";
import { ray, wheel } from "./python.mjs";
import { block, firstProgram, must, writeProject } from "./snippets.mjs";

const jobs = String(availableParallelism());
const WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];

/** A program of Debian's, which root installs; throws where there is none. */
async function need(program, packageName) {
  if (!which(program) && isDebian() && isRoot()) await installOnSystem([packageName], "for test:install");
  if (!which(program)) throw new Error(`no ${program} here: install ${packageName}`);
}

const versionOf = async (program) => versionIn(await must(program, ["--version"]));

/** Each public header by itself under clang. */
async function headers(folder) {
  await need("clang++", "clang");
  const names = readdirSync(fromRoot("cpp/include/ropewalk"));
  for (const name of names) {
    const source = join(folder, "header.cpp");
    writeFileSync(source, `#include "ropewalk/${name}"\n`);
    const include = `-I${fromRoot("cpp/include")}`;
    await must("clang++", ["-std=c++20", "-fsyntax-only", ...WARNINGS, include, source]);
  }
  return `${names.length} headers, clang ${await versionOf("clang++")}`;
}

/** Every public symbol has a comment that Doxygen understands; the same headers without one comment are refused. */
async function doxygen(folder) {
  await need("doxygen", "doxygen");
  const env = { ...process.env, ROPEWALK_DOXYGEN_OUTPUT: folder };
  await must("doxygen", ["tests/install/Doxyfile"], { cwd: fromRoot(), env });
  const symbols = readdirSync(join(folder, "html")).filter((name) => /^(class|struct|union)ropewalk/.test(name));
  return `${symbols.filter((name) => !name.includes("-members")).length} types, doxygen ${await versionOf("doxygen")}`;
}

/** The sources as a checkout has them, what is not yet committed included. */
async function copySources(target) {
  const listed = await must("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: fromRoot() });
  const kept = /^(cpp|bindings\/c|tools\/release|CMakeLists\.txt|LICENSE|README\.md|CHANGELOG\.md)/;
  for (const path of listed.split("\0")) if (kept.test(path)) cpSync(fromRoot(path), join(target, path));
  return target;
}

/** Built along with a stranger's program: the headers come from elsewhere, and nothing of the set-up is there. */
async function fetchContent(folder) {
  const { includeDir } = readToolchain();
  const sources = await copySources(join(folder, "ropewalk"));
  // In place of the releases that FetchContent would clone.
  const local = { ROPEWALK: sources, XSIMD: join(folder, "xsimd"), NLOHMANN_JSON: join(folder, "nlohmann_json") };
  cpSync(join(includeDir, "xsimd"), join(local.XSIMD, "include/xsimd"), { recursive: true });
  cpSync(join(includeDir, "nlohmann"), join(local.NLOHMANN_JSON, "include/nlohmann"), { recursive: true });
  const project = writeProject(join(folder, "project"), block("docs/cpp.md", "cmake", 1));
  const build = join(project, "build");
  const env = { ...process.env, HOME: folder, XDG_CACHE_HOME: join(folder, "cache"), ROPEWALK_INCLUDE_DIR: "" };
  const sourceDirs = Object.entries(local).map(([name, path]) => `-DFETCHCONTENT_SOURCE_DIR_${name}=${path}`);
  await must("cmake", ["-S", project, "-B", build, ...sourceDirs], { env });
  await must("cmake", ["--build", build, "-j", jobs], { env });
  firstProgram.check(await must(join(build, "first"), [], { env }));
  return `cmake ${await versionOf("cmake")}`;
}

/** debian/changelog of the present version, dated as the latest commit is. */
async function debianChangelog(version) {
  const date = (await must("git", ["log", "-1", "--format=%cD"], { cwd: fromRoot() })).trim();
  const control = readFileSync(fromRoot("tools/release/debian/control"), "utf8");
  const maintainer = /^Maintainer: (.*)$/m.exec(control)[1];
  return `ropewalk (${version}) unstable; urgency=medium\n\n  * Version ${version}.\n\n -- ${maintainer}  ${date}\n`;
}

/** Packages by dpkg-buildpackage, unpacked and tried; they stay in build/debian. */
async function debian(folder) {
  if (!isDebian()) throw new Error("not a Debian system");
  await need("dpkg-buildpackage", "dpkg-dev");
  await need("dh", "debhelper");
  const { version } = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
  const results = fromRoot("build/debian");
  rmSync(results, { recursive: true, force: true });
  const sources = await copySources(join(results, `ropewalk-${version}`));
  cpSync(fromRoot("tools/release/debian"), join(sources, "debian"), { recursive: true });
  writeFileSync(join(sources, "debian/changelog"), await debianChangelog(version));
  // Where this Debian's xsimd is too old, the headers of the set-up take its place, and the check of build
  // dependencies, which only knows packages, is left out.
  const complete = await must("dpkg-checkbuilddeps", [], { cwd: sources }).then(
    () => true,
    () => false,
  );
  const env = { ...process.env, DEB_BUILD_OPTIONS: `parallel=${jobs} noautodbgsym` };
  // Compilers and flags are Debian's.
  for (const name of ["CXX", "CC", "CMAKE_GENERATOR", "ROPEWALK_INCLUDE_DIR"]) delete env[name];
  if (!complete) env.ROPEWALK_INCLUDE_DIR = readToolchain().includeDir;
  await must("dpkg-buildpackage", ["-b", "-us", "-uc", ...(complete ? [] : ["-d"])], { cwd: sources, env });
  const packages = readdirSync(results)
    .filter((name) => name.endsWith(".deb"))
    .sort();
  if (packages.length !== 2) throw new Error(`the packages are ${packages.join(", ")}, not two`);
  const installed = join(folder, "installed");
  for (const name of packages) await must("dpkg-deb", ["-x", join(results, name), installed]);
  await tryPrograms(folder, join(installed, "usr"), { ...process.env, CXX: "g++" });
  rmSync(sources, { recursive: true, force: true });
  const headersFrom = complete ? "libxsimd-dev" : "the set-up's xsimd, since this Debian's is too old";
  return `${packages.join(" and ")} with ${headersFrom}`;
}

/** The checks, by their names in INSTALL_CHECKS. */
const CHECKS = { headers, doxygen, fetchcontent: fetchContent, debian, wheel, ray };

/** Runs one check: { title, problems, detail }. */
async function runCheck(name) {
  // The same one each time, for the sake of a compiler cache.
  const folder = fromRoot("build/install", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const title = `${["wheel", "ray"].includes(name) ? "Python" : "C++"}: ${INSTALL_CHECKS[name]}`;
  try {
    return { title, problems: [], detail: await CHECKS[name](folder) };
  } catch (error) {
    return { title, problems: error.message.trimEnd().split("\n").slice(-40) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All checks, for `npm run release:check`. */
export async function runChecks() {
  const results = [];
  for (const name of Object.keys(CHECKS)) results.push(await runCheck(name));
  return results;
}

/** The exit code. */
export async function main(names) {
  let failed = 0;
  for (const name of chosen("check", Object.keys(CHECKS), names)) {
    const begun = Date.now();
    const tried = about("install", name);
    const { title, problems, detail } = await runCheck(name);
    record("install", name, { passed: problems.length === 0, detail }, tried);
    if (problems.length > 0) failed++;
    say(
      `${problems.length === 0 ? "ok     " : "failed "} ${title}${detail ? `: ${detail}` : ""} (${seconds(Date.now() - begun)})`,
    );
    for (const problem of problems) say(`          ${problem}`);
  }
  say(failed === 0 ? "All passed." : `${failed} failed.`);
  return failed === 0 ? 0 : 1;
}
