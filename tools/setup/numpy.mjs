// A Python that has NumPy, for the tests of the Python package: the machine's, or Debian's package unpacked into the cache.
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inCache, makeFolder, stampOf } from "./cache.mjs";
import { lastWords, run, which } from "./commands.mjs";
import { isDebian, openArchive, unpack } from "./debian-packages.mjs";
import { SetUpError, say, step } from "./progress.mjs";

/** The package is written for this Python and newer ones. */
const PROBE = `import sys, numpy
assert sys.version_info >= (3, 9), "Python is " + sys.version.split()[0] + ", older than 3.9"
assert numpy.add(1, 2) == 3
print(numpy.__version__)`;

/** { program, version, env }, or { reason }. `env` is what the program needs besides its usual environment. */
async function tryPython(program, env = {}) {
  const probed = await run(program, ["-c", PROBE], { env: { ...process.env, ...env } });
  if (probed.code === 0) return { program, version: probed.stdout.trim(), env };
  return { reason: `${program}: ${lastWords(probed.output, 1)}` };
}

function programs() {
  const names = ["python3", "/usr/bin/python3"];
  return [...new Set(names.map((name) => which(name)).filter(Boolean))];
}

/** The NumPy of the machine's own Debian release, with the libraries that it needs and the machine lacks. */
async function unpackNumpy(folder) {
  await step("Fetching NumPy into the cache folder (no root, about 10 MB)", (note) =>
    makeFolder(folder, async (temporary) => {
      const archive = await openArchive(null);
      try {
        await unpack(await archive.download(["python3-numpy"], note), temporary, note);
      } finally {
        archive.close();
      }
      return {};
    }),
  );
}

function environmentOf(folder) {
  const libraries = join(folder, "usr/lib");
  const triplet = readdirSync(libraries).find((name) => name.includes("-linux-gnu")) ?? "";
  // Debian's alternatives would link these two into the folder above them.
  const paths = ["", "blas", "lapack"].map((name) => join(libraries, triplet, name)).filter((path) => existsSync(path));
  return {
    PYTHONPATH: join(folder, "usr/lib/python3/dist-packages"),
    LD_LIBRARY_PATH: [...paths, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter),
  };
}

/** A Python that runs the tests, or null with a printed reason if there is none. */
export async function setUpNumpy() {
  const reasons = [];
  const first = async (env) => {
    for (const program of programs()) {
      const tried = await tryPython(program, env);
      if (tried.program) return tried;
      reasons.push(tried.reason);
    }
    return null;
  };
  const own = await first();
  if (own) return own;
  if (isDebian()) {
    const folder = inCache("numpy");
    try {
      if (!stampOf(folder)) await unpackNumpy(folder);
      const unpacked = await first(environmentOf(folder));
      if (unpacked) return unpacked;
    } catch (error) {
      if (!(error instanceof SetUpError)) throw error;
      reasons.push(error.message);
    }
  }
  say(
    `  The Python package will not be tested, since no Python here has NumPy (${reasons.join("; ") || "no python3"}).`,
  );
  return null;
}
