// Emscripten out of Debian testing's packages: only what it needs is kept, and made to run from the cache folder.
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { inCache, makeFolder, stampOf } from "./cache.mjs";
import { lastWords, run } from "./commands.mjs";
import { unpackPackages } from "./debian-packages.mjs";
import { SetUpError, step } from "./progress.mjs";
import { DEBIAN_SUITE, EMSCRIPTEN_FLOOR, isAtLeast } from "./versions.mjs";

/** Raised when the folder is laid out otherwise, so that older ones are made again. */
const LAYOUT = 1;

const LLVM_PROGRAMS =
  /^(clang(\+\+|-\d+)?|lld|wasm-ld|clang-scan-deps|llvm-(ar|ranlib|nm|objcopy|strip|objdump|readobj|size|cxxfilt|symbolizer|addr2line|dwarfdump|dwp|profdata))$/;
const BINARYEN_PROGRAMS = /^(wasm-(as|ctor-eval|dis|emscripten-finalize|merge|metadce|opt|split)|wasm2js)$/;
/** Packages of the closure that no program here opens: they are not unpacked. A missing library is an error below. */
const NOT_UNPACKED =
  /^(libc6-dev|libc-dev-bin|libc-gconv|linux-libc-dev|lib(stdc\+\+|gcc|objc)-[\d.]+-dev|libobjc|nodejs|libnode|node-(?!acorn)|binutils|libbinutils|ccache|tzdata|lib(asan|tsan|hwasan|lsan|ubsan)\d|media-types|netbase|debconf|cmake-doc)/;

export function debianToolchainFolder() {
  return inCache("debian-testing");
}

/** Is what was unpacked whole, new enough and with the extra programs asked for? */
export function isUnpacked(extras) {
  const stamp = stampOf(debianToolchainFolder());
  return (
    stamp?.layout === LAYOUT &&
    isAtLeast(stamp.version, EMSCRIPTEN_FLOOR) &&
    extras.every((extra) => stamp.extras.includes(extra))
  );
}

function onlyMatch(folder, pattern, what) {
  const name = existsSync(folder) ? readdirSync(folder).find((candidate) => pattern.test(candidate)) : undefined;
  if (!name)
    throw new SetUpError(`Debian's packages hold no ${what}; install Emscripten ${EMSCRIPTEN_FLOOR} or newer on PATH.`);
  return join(folder, name);
}

function isElf(path) {
  return lstatSync(path).isFile() && readFileSync(path).subarray(0, 4).toString("latin1") === "\x7fELF";
}

/** Copies patchelf with its libraries aside, because it cannot rewrite or be moved under its own feet. */
async function patchelfAside(root, libraries, loader, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of [loader, "libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libc.so.6"]) {
    copyFileSync(join(libraries, name), join(folder, name));
  }
  copyFileSync(join(root, "usr/bin/patchelf"), join(folder, "patchelf"));
  return async (args) => {
    const result = await run(join(folder, loader), ["--library-path", folder, join(folder, "patchelf"), ...args]);
    if (result.code !== 0) throw new SetUpError(`patchelf failed on Debian's programs: ${lastWords(result.output)}`);
    return result.stdout.split(/\s+/).filter(Boolean);
  };
}

/** Moves a file, or a link with what it points to in the same folder. */
function keep(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (!stat || existsSync(to)) return;
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(from);
    if (target.includes("/")) {
      cpSync(realpathSync(from), to, { recursive: true });
      return;
    }
    keep(join(dirname(from), target), join(dirname(to), target));
  }
  renameSync(from, to);
}

/** The parts of the unpacked root that are kept: programs (links to them too) and folders, as paths below the root. */
function choose(root, extras) {
  const llvm = relative(root, onlyMatch(join(root, "usr/lib"), /^llvm-\d+$/, "LLVM"));
  const programs = [
    ...readdirSync(join(root, llvm, "bin"))
      .filter((name) => LLVM_PROGRAMS.test(name))
      .map((name) => join(llvm, "bin", name)),
    ...readdirSync(join(root, "usr/bin"))
      .filter((name) => BINARYEN_PROGRAMS.test(name))
      .map((name) => join("usr/bin", name)),
  ];
  // clang looks for its own headers beside its own folder.
  const clangVersions = readdirSync(join(root, llvm, "lib/clang"));
  const folders = [
    "usr/share/emscripten",
    ...clangVersions.map((version) => join(llvm, "lib/clang", version, "include")),
  ];
  const modules = [];
  if (extras.includes("python")) {
    const name = basename(onlyMatch(join(root, "usr/bin"), /^python3\.\d+$/, "Python"));
    const library = join("usr/lib", name);
    programs.push(join("usr/bin", name), "usr/bin/python3");
    folders.push(library);
    for (const part of ["test", "ensurepip", "idlelib", "pydoc_data"]) {
      rmSync(join(root, library, part), { recursive: true, force: true });
    }
    const dynamic = join(library, "lib-dynload");
    if (existsSync(join(root, dynamic)))
      modules.push(...readdirSync(join(root, dynamic)).map((file) => join(dynamic, file)));
  }
  if (extras.includes("cmake")) {
    programs.push("usr/bin/cmake", "usr/bin/ctest");
    folders.push(relative(root, onlyMatch(join(root, "usr/share"), /^cmake-\d/, "CMake modules")));
  }
  if (extras.includes("ninja")) programs.push("usr/bin/ninja");
  return { llvm, programs, folders, modules };
}

/** Moves what is needed from the unpacked root into `kept` and makes the programs find each other there. */
async function moveAndPatch(root, kept, extras) {
  const libraryPath = join("usr/lib", basename(onlyMatch(join(root, "usr/lib"), /-linux-gnu/, "libraries")));
  const loader = basename(onlyMatch(join(root, libraryPath), /^ld-linux.*\.so/, "dynamic loader"));
  const patchelf = await patchelfAside(root, join(root, libraryPath), loader, join(kept, "patchelf"));
  const { llvm, programs, folders, modules } = choose(root, extras);

  const real = programs.map((path) => relative(root, realpathSync(join(root, path))));
  const binaries = [...new Set(real)].filter((path) => isElf(join(root, path)));
  for (const path of [...programs, ...folders]) keep(join(root, path), join(kept, path));
  for (const name of ["docs", "media"])
    rmSync(join(kept, "usr/share/emscripten", name), { recursive: true, force: true });
  for (const name of ["acorn", "acorn-import-phases"]) {
    keep(join(root, "usr/share/nodejs", name), join(kept, "usr/share/emscripten/node_modules", name));
  }

  // The libraries that these need, and that those need.
  const waiting = [...binaries, ...modules];
  const seen = new Set();
  while (waiting.length > 0) {
    const path = waiting.pop();
    for (const name of await patchelf(["--print-needed", join(kept, path)])) {
      if (seen.has(name)) continue;
      seen.add(name);
      const library = join(libraryPath, name);
      if (!existsSync(join(root, library))) {
        throw new SetUpError(
          `Debian's ${path} needs ${name}, which is not among the packages: report this to Ropewalk.`,
        );
      }
      keep(join(root, library), join(kept, library));
      waiting.push(library);
    }
  }
  keep(join(root, libraryPath, loader), join(kept, libraryPath, loader));

  // The interpreter's path must be absolute: that of the place where the folder will stand. DT_RPATH, unlike RUNPATH,
  // also serves the libraries of the libraries, so only those that have a RUNPATH of their own need a patch.
  const interpreter = join(debianToolchainFolder(), libraryPath, loader);
  for (const path of binaries) {
    const origin = `$ORIGIN/${relative(dirname(path), libraryPath)}`;
    // In this order: the other way round patchelf 0.18 breaks programs with fixed addresses, such as Python.
    await patchelf(["--force-rpath", "--set-rpath", origin, join(kept, path)]);
    await patchelf(["--set-interpreter", interpreter, join(kept, path)]);
  }
  for (const name of readdirSync(join(kept, libraryPath))) {
    const library = join(kept, libraryPath, name);
    if (isElf(library) && (await patchelf(["--print-rpath", library])).length > 0) {
      await patchelf(["--set-rpath", "$ORIGIN", library]);
    }
  }
  rmSync(join(kept, "patchelf"), { recursive: true, force: true });
  return { llvm };
}

/** Fetches, unpacks and patches. `extras`: of "python", "cmake" and "ninja", those that the machine lacks. */
export async function unpackEmscripten(extras) {
  const extraPackages = { python: "python3", cmake: "cmake", ninja: "ninja-build" };
  const folder = debianToolchainFolder();
  await makeFolder(folder, async (temporary) => {
    const root = join(temporary, "unpacked");
    await step(`Fetching Emscripten as Debian ${DEBIAN_SUITE} packages (about 150 MB)`, async (note) => {
      const packages = ["emscripten", "patchelf", ...extras.map((extra) => extraPackages[extra])];
      const count = await unpackPackages(DEBIAN_SUITE, packages, root, note, (file) => !NOT_UNPACKED.test(file));
      return `${count} packages`;
    });
    return await step("Making Emscripten run from the cache folder", async () => {
      const kept = join(temporary, "kept");
      mkdirSync(kept);
      const { llvm } = await moveAndPatch(root, kept, extras);
      rmSync(root, { recursive: true, force: true });
      for (const name of readdirSync(kept)) renameSync(join(kept, name), join(temporary, name));
      rmSync(kept, { recursive: true });
      const versionFile = join(temporary, "usr/share/emscripten/emscripten-version.txt");
      const version = readFileSync(versionFile, "utf8").replace(/[^\d.]/g, "");
      return { layout: LAYOUT, version, llvm, extras };
    });
  });
  return stampOf(folder);
}
