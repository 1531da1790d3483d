// Sets up Debian's cross compiler for 64-bit ARM, and qemu's user mode, which runs its programs on another processor.
import { run, which } from "./commands.mjs";
import { installOnSystem, isDebian, isRoot } from "./debian-packages.mjs";
import { SetUpError } from "./progress.mjs";
import { GCC_FLOOR, isAtLeast, versionIn } from "./versions.mjs";

/** Each program, and the Debian package that has it. cpp/cmake/aarch64.cmake names the same. */
const PROGRAMS = { "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "qemu-aarch64": "qemu-user" };

const missingPackages = () =>
  Object.entries(PROGRAMS)
    .filter(([program]) => !which(program))
    .map(([, name]) => name);

/** Installs what is missing where we may, and says how otherwise. */
export async function setUpNeon() {
  if (missingPackages().length > 0 && isDebian() && isRoot()) {
    await installOnSystem(missingPackages(), "to build and run for 64-bit ARM");
  }
  const missing = missingPackages();
  if (missing.length > 0) {
    const remedy = isDebian() ? `run \`apt-get install ${missing.join(" ")}\` as root` : "install them";
    throw new SetUpError(`The tests for ARM need ${missing.join(" and ")}: ${remedy}, then run again.`);
  }
  const version = versionIn((await run("aarch64-linux-gnu-g++", ["-dumpfullversion"])).stdout) ?? "0";
  if (!isAtLeast(version, GCC_FLOOR)) {
    throw new SetUpError(`aarch64-linux-gnu-g++ is ${version}, older than ${GCC_FLOOR}: install a newer one.`);
  }
  return { version: `g++ ${version}` };
}
