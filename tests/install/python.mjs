// The Python package in the ways that cost minutes: from its sources, with its types, and with Ray.
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { installPython, sharedLibrary } from "../../tools/run/builds.mjs";
import { fromRoot, readToolchain, toolchainEnvironment } from "../../tools/setup/environment.mjs";
import { must } from "./snippets.mjs";

/** Newer ones are not tried. */
const MYPY = "mypy==2.4.1";
const RAY = "ray[data]==2.60.0";

/** The environment's Python with the package installed, and a function that runs it. */
async function install(folder, library) {
  const { python } = readToolchain();
  if (!python) throw new Error("set-up found no Python for it");
  const { commands, env, python: program } = installPython(python, library, relative(fromRoot(), folder));
  for (const [command, ...args] of commands)
    await must(command, args, { cwd: fromRoot(), env: { ...toolchainEnvironment(), ...env } });
  const run = (...args) => must(program, args, { cwd: fromRoot() });
  const add = (...packages) =>
    must(python.program, ["-m", "pip", "--quiet", "--python", program, "install", "--only-binary=:all:", ...packages], {
      env: { ...process.env, ...python.env },
    });
  return { run, add };
}

/** `pip install .`: the wheel is built from the sources; its tests, and its types by mypy. */
export async function wheel(folder) {
  const { run, add } = await install(folder);
  mkdirSync(folder, { recursive: true });
  const output = await run("-B", "tests/python/run.py", join(folder, "report.json"));
  await add(MYPY);
  await run(
    "-m",
    "mypy",
    "--config-file",
    "pyproject.toml",
    "--cache-dir",
    join(folder, "mypy"),
    "bindings/python/ropewalk",
  );
  await run("-m", "mypy", "--strict", "--cache-dir", join(folder, "mypy"), "tests/python/typed.py");
  return `${/Ran (\d+) tests/.exec(output)[1]} tests, ${MYPY.replace("==", " ")}`;
}

/** The programs of docs/at-scale.md on a local cluster of two processes. */
export async function ray(folder) {
  const { run, add } = await install(folder, sharedLibrary());
  await add(RAY);
  const work = join(folder, "corpus");
  mkdirSync(work);
  const output = await run("tests/install/at_scale.py", "docs/at-scale.md", "web/public/embedder", work);
  const checked = output.match(/^.*the bits of one process$/gm) ?? [];
  if (checked.length !== 3) throw new Error(output);
  return `${RAY.replace("[data]==", " ")}: ${checked.map((line) => line.replace(/:.*/, "")).join("; ")}`;
}
