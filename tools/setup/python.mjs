// For the tests of the Python package: a Python with pip, the machine's or Debian's pip unpacked into the cache, and a folder
// of wheels from which an empty environment is filled without a network.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { inCache, makeFolder, stampOf } from "./cache.mjs";
import { lastWords, run, which } from "./commands.mjs";
import { isDebian, unpackPackages } from "./debian-packages.mjs";
import { SetUpError, say, step } from "./progress.mjs";
import { PYTHON_PACKAGES } from "./versions.mjs";

/** The package is written for this Python and newer ones; older pips cannot fill another environment. */
const PROBE = `import sys, venv, pip
assert sys.version_info >= (3, 9), "Python is " + sys.version.split()[0] + ", older than 3.9"
assert tuple(map(int, pip.__version__.split(".")[:2])) >= (22, 3), "pip is " + pip.__version__ + ", older than 22.3"
print(sys.version.split()[0])`;

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

async function unpackPip(folder) {
  await step("Fetching pip into the cache folder (no root, about 3 MB)", (note) =>
    makeFolder(folder, async (temporary) => {
      await unpackPackages(null, ["python3-pip"], temporary, note);
      return {};
    }),
  );
}

async function findPython() {
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
  if (isDebian() && programs().length > 0) {
    const folder = inCache("pip");
    if (!stampOf(folder)) await unpackPip(folder);
    const unpacked = await first({ PYTHONPATH: join(folder, "usr/lib/python3/dist-packages") });
    if (unpacked) return unpacked;
  }
  throw new SetUpError(reasons.join("; ") || "no python3");
}

/** The folder of the pinned packages and of what they need, for this Python. */
async function fetchWheels({ program, version, env }) {
  const key = createHash("sha256").update(JSON.stringify([PYTHON_PACKAGES, version, process.platform, process.arch]));
  const folder = inCache(`python-${key.digest("hex").slice(0, 12)}`);
  if (stampOf(folder)) return folder;
  await step("Fetching Python packages into the cache folder (about 40 MB)", () =>
    makeFolder(folder, async (temporary) => {
      const what = ["--only-binary=:all:", "--dest", temporary, ...PYTHON_PACKAGES];
      const downloaded = await run(program, ["-m", "pip", "download", "--quiet", ...what], {
        env: { ...process.env, ...env },
      });
      if (downloaded.code !== 0) throw new SetUpError(`pip download failed: ${lastWords(downloaded.output)}`);
      return { version };
    }),
  );
  return folder;
}

/** { program, version, env, wheels }, or null with a printed reason. */
export async function setUpPython() {
  try {
    const python = await findPython();
    return { ...python, wheels: await fetchWheels(python) };
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    say(`  The Python package will not be tested: ${error.message}.`);
    return null;
  }
}
