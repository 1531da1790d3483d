// Header-only libraries and GoogleTest's sources, in folders that hold only what they name.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inCache, makeFolder } from "./cache.mjs";
import { inTemporaryFolder, which } from "./commands.mjs";
import { isDebian, unpackPackages } from "./debian-packages.mjs";
import { cloneTag } from "./fetch.mjs";
import { SetUpError, step } from "./progress.mjs";
import { DEBIAN_SUITE, isAtLeast, PINNED, XSIMD_FLOOR } from "./versions.mjs";

function xsimdVersion(includeDir) {
  const path = join(includeDir, "xsimd/config/xsimd_config.hpp");
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8");
  const part = (name) => new RegExp(`#define XSIMD_VERSION_${name} (\\d+)`).exec(text)?.[1] ?? "0";
  return `${part("MAJOR")}.${part("MINOR")}.${part("PATCH")}`;
}

function areThere(includeDir, googletestDir) {
  const version = xsimdVersion(includeDir);
  return (
    version !== null &&
    isAtLeast(version, XSIMD_FLOOR) &&
    existsSync(join(includeDir, "nlohmann/json.hpp")) &&
    existsSync(join(googletestDir, "CMakeLists.txt"))
  );
}

/** Fetches into the folder `root`, and returns where in it each of them is. */
async function fromDebian(root, note) {
  const packages = ["libxsimd-dev", "nlohmann-json3-dev", "googletest"];
  await unpackPackages(DEBIAN_SUITE, packages, root, note, (file) => packages.includes(file.split("_")[0]));
  return {
    xsimd: join(root, "usr/include/xsimd"),
    nlohmann: join(root, "usr/include/nlohmann"),
    googletest: join(root, "usr/src/googletest"),
  };
}

/** The same from the projects' own repositories. */
async function fromGit(root, note) {
  for (const name of ["xsimd", "nlohmannJson", "googletest"]) {
    const what = `${name} ${PINNED[name].tag}`;
    note(what);
    await cloneTag(what, PINNED[name], join(root, name));
  }
  return {
    xsimd: join(root, "xsimd/include/xsimd"),
    nlohmann: join(root, "nlohmannJson/include/nlohmann"),
    googletest: join(root, "googletest"),
  };
}

export async function setUpHeaders() {
  const includeDir = inCache("include");
  const googletestDir = inCache("src/googletest");
  if (areThere(includeDir, googletestDir)) return { includeDir, googletestDir };
  const place = async (found) => {
    await makeFolder(includeDir, async (folder) => {
      for (const name of ["xsimd", "nlohmann"])
        cpSync(found[name], join(folder, name), { recursive: true, dereference: true });
      return { xsimd: xsimdVersion(folder) };
    });
    await makeFolder(googletestDir, async (folder) => {
      cpSync(found.googletest, folder, { recursive: true, dereference: true });
      return {};
    });
  };
  const fetchBy = (fetch, how) =>
    step(`Fetching xsimd, nlohmann/json and GoogleTest${how}`, (note) =>
      inTemporaryFolder("headers", async (root) => place(await fetch(root, note))),
    );
  if (isDebian()) {
    try {
      await fetchBy(fromDebian, ` as Debian ${DEBIAN_SUITE} packages`);
    } catch (error) {
      if (!(error instanceof SetUpError) || !which("git")) throw error;
      await fetchBy(fromGit, "").catch((second) => {
        throw new SetUpError(`${error.message} By git neither: ${second.message}`);
      });
    }
  } else {
    await fetchBy(fromGit, "");
  }
  if (!areThere(includeDir, googletestDir)) {
    throw new SetUpError(
      `The xsimd that was fetched is ${xsimdVersion(includeDir) ?? "not whole"}, but ${XSIMD_FLOOR} or newer is needed: ` +
        `remove ${includeDir} and run again.`,
    );
  }
  return { includeDir, googletestDir };
}
