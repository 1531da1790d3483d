// The machine's own C++ compiler and CMake: checked, and installed where we may.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder, lastWords, run, which } from "./commands.mjs";
import { installOnSystem, isDebian, isRoot } from "./debian-packages.mjs";
import { SetUpError } from "./progress.mjs";
import { CLANG_FLOOR, CMAKE_FLOOR, GCC_FLOOR, isAtLeast, versionIn } from "./versions.mjs";

const PROBE = `#include <concepts>
#include <span>
#include <thread>
#include <vector>
template <std::integral T> T first(std::span<const T> s) { return s[0]; }
int main() { std::vector<int> v{0}; std::jthread t([] {}); return first<int>(v); }
`;

/** Compiles and links C++20 with one compiler: { cxx, version } or a reason why not. */
async function tryCompiler(name) {
  const cxx = which(name);
  if (!cxx) return { reason: `no ${name}` };
  const text = (await run(cxx, ["--version"])).stdout;
  const isClang = /clang/i.test(text);
  const version = versionIn(isClang ? text : (await run(cxx, ["-dumpfullversion"])).stdout) ?? "0";
  const floor = isClang ? CLANG_FLOOR : GCC_FLOOR;
  if (!isAtLeast(version, floor)) return { reason: `${name} is ${version}, older than ${floor}` };
  return inTemporaryFolder("cxx", async (folder) => {
    writeFileSync(join(folder, "probe.cpp"), PROBE);
    const program = join(folder, "probe");
    const built = await run(cxx, ["-std=c++20", "-pthread", join(folder, "probe.cpp"), "-o", program]);
    if (built.code !== 0) return { reason: `${name} ${version} cannot build C++20: ${lastWords(built.output, 1)}` };
    if ((await run(program, [])).code !== 0) return { reason: `a program built by ${name} ${version} does not run` };
    return { cxx, version: `${isClang ? "clang" : "g++"} ${version}` };
  });
}

async function findCompiler() {
  const names = process.env.CXX ? [process.env.CXX] : ["g++", "c++", "clang++", "g++-12", "clang++-14"];
  const reasons = [];
  for (const name of names) {
    const tried = await tryCompiler(name);
    if (tried.cxx) return tried;
    reasons.push(tried.reason);
  }
  return { reason: reasons.join(", ") };
}

async function cmakeProblem() {
  const cmake = which("cmake");
  if (!cmake) return "no cmake";
  const version = versionIn((await run(cmake, ["--version"])).stdout) ?? "0";
  return isAtLeast(version, CMAKE_FLOOR) ? null : `cmake is ${version}, older than ${CMAKE_FLOOR}`;
}

function maker() {
  return which("ninja") ?? which("make");
}

/** cmake and ninja or make. Where Emscripten is unpacked from Debian without root, they come along with it. */
export async function setUpBuildTools({ mayComeWithEmscripten }) {
  const missing = [];
  const problem = await cmakeProblem();
  if (problem) missing.push("cmake");
  if (!maker()) missing.push("ninja-build");
  if (missing.length === 0) return;
  if (isDebian() && isRoot()) {
    await installOnSystem(missing, "to build");
  } else if (!mayComeWithEmscripten || (problem && problem !== "no cmake")) {
    const remedy = isDebian() ? "run `apt-get install cmake ninja-build` as root" : "install them";
    throw new SetUpError(
      `Building needs CMake ${CMAKE_FLOOR} or newer and Ninja or Make (${problem ?? "no ninja, no make"}): ${remedy}, then run again.`,
    );
  }
}

export async function setUpNativeCompiler() {
  let found = await findCompiler();
  if (!found.cxx && isDebian() && isRoot() && !process.env.CXX) {
    await installOnSystem(["g++"], "to build for this machine");
    found = await findCompiler();
  }
  if (found.cxx) return found;
  const remedy = isDebian() ? "run `apt-get install g++` as root" : "install one";
  throw new SetUpError(
    `Building for this machine needs g++ ${GCC_FLOOR} or clang ${CLANG_FLOOR} or newer (${found.reason}): ${remedy}, then run again.`,
  );
}
