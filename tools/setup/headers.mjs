// Header-only libraries and GoogleTest's sources, in folders that hold only what they name.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inCache, makeFolder } from "./cache.mjs";
import { run, which } from "./commands.mjs";
import { fetchError, isDebian, openArchive, unpack } from "./debian-packages.mjs";
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

async function fromDebian(place) {
  await step(`Fetching xsimd, nlohmann/json and GoogleTest as Debian ${DEBIAN_SUITE} packages`, async (note) => {
    const archive = await openArchive(DEBIAN_SUITE);
    try {
      const files = await archive.download(["libxsimd-dev", "nlohmann-json3-dev", "googletest"], note);
      const wanted = files.filter((file) => /\/(libxsimd-dev|nlohmann-json3-dev|googletest)_[^/]*$/.test(file));
      await place(async (root) => {
        await unpack(wanted, root, note);
        return {
          xsimd: join(root, "usr/include/xsimd"),
          nlohmann: join(root, "usr/include/nlohmann"),
          googletest: join(root, "usr/src/googletest"),
        };
      });
    } finally {
      archive.close();
    }
  });
}

async function fromGit(place) {
  if (!which("git"))
    throw new SetUpError("Fetching xsimd, nlohmann/json and GoogleTest needs git: install git and run again.");
  await step("Fetching xsimd, nlohmann/json and GoogleTest", (note) =>
    place(async (root) => {
      for (const name of ["xsimd", "nlohmannJson", "googletest"]) {
        const { tag, repository } = PINNED[name];
        note(`${name} ${tag}`);
        const clone = ["clone", "--quiet", "--depth", "1", "--branch", tag, repository, join(root, name)];
        const cloned = await run("git", clone, { env: { ...process.env, GIT_TERMINAL_PROMPT: "0" } });
        if (cloned.code !== 0) throw fetchError(`${name} ${tag}`, cloned.output);
      }
      return {
        xsimd: join(root, "xsimd/include/xsimd"),
        nlohmann: join(root, "nlohmannJson/include/nlohmann"),
        googletest: join(root, "googletest"),
      };
    }),
  );
}

export async function setUpHeaders() {
  const includeDir = inCache("include");
  const googletestDir = inCache("src/googletest");
  if (areThere(includeDir, googletestDir)) return { includeDir, googletestDir };
  const place = async (fetch) => {
    const temporary = inCache("headers-fetched");
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary);
    try {
      const found = await fetch(temporary);
      await makeFolder(includeDir, async (folder) => {
        for (const name of ["xsimd", "nlohmann"])
          cpSync(found[name], join(folder, name), { recursive: true, dereference: true });
        return { xsimd: xsimdVersion(folder) };
      });
      await makeFolder(googletestDir, async (folder) => {
        cpSync(found.googletest, folder, { recursive: true, dereference: true });
        return {};
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  };
  if (isDebian()) {
    try {
      await fromDebian(place);
    } catch (error) {
      if (!(error instanceof SetUpError) || !which("git")) throw error;
      await fromGit(place).catch((second) => {
        throw new SetUpError(`${error.message} By git neither: ${second.message}`);
      });
    }
  } else {
    await fromGit(place);
  }
  if (!areThere(includeDir, googletestDir)) {
    throw new SetUpError(
      `The xsimd that was fetched is ${xsimdVersion(includeDir) ?? "not whole"}, but ${XSIMD_FLOOR} or newer is needed: ` +
        `remove ${includeDir} and run again.`,
    );
  }
  return { includeDir, googletestDir };
}
