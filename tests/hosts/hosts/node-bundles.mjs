// Programs for Node in one file, and executables of one file, which leave every other file of the package behind.

import { chmodSync, copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installed, resultsIn } from "../folder.mjs";
import { allOf } from "../results.mjs";
import { runPacker } from "./bundlers.mjs";
import { LINES, nodeProgram } from "./node.mjs";

const everyNode = LINES.map(nodeProgram);

/** `build(folder)` turns main.js into a program of one file and returns its name; `nodes` are those that run it. */
const bundle = ({ build, nodes = [process.execPath], ...host }) => ({
  ...host,
  async run({ folder, modelAddress }) {
    folder.addProgram("main.js");
    const file = await build(folder);
    // Nothing must be found beside the program but the program.
    rmSync(join(folder.folder, "steps.js"));
    const results = [];
    for (const node of nodes) results.push(resultsIn(await folder.run(node, file, modelAddress)));
    return allOf(results);
  },
});

const forNode = (name, packageOf, path) =>
  bundle({
    name,
    packageOf,
    async build(folder) {
      await runPacker(folder, path, ', target: "node"');
      // Both write CommonJS.
      folder.write("dist/package.json", "{}");
      return "dist/main.js";
    },
  });

async function bundleWithEsbuild(folder, format, out) {
  const options = ["--bundle", "--platform=node", `--format=${format}`, `--outfile=${out}`, "--log-level=error"];
  await folder.run(installed("esbuild/bin/esbuild"), "main.js", ...options);
}

const withEsbuild = (format, extension) =>
  bundle({
    name: `esbuild for Node, one file, \`--format=${format}\``,
    ways: `run by Node ${LINES.join(", ")}`,
    packageOf: "esbuild",
    nodes: everyNode,
    async build(folder) {
      const out = `dist/main.${extension}`;
      await bundleWithEsbuild(folder, format, out);
      return out;
    },
  });

/** The blob goes into a copy of Node: Node 26 does that itself, its elders need postject. */
async function makeExecutable(folder, line) {
  const node = nodeProgram(line);
  const buildsItself = line >= 26;
  const output = buildsItself ? "program" : "program.blob";
  const options = { main: "dist/main.cjs", output, disableExperimentalSEAWarning: true };
  folder.write("sea.json", JSON.stringify(options));
  await folder.run(node, buildsItself ? "--build-sea" : "--experimental-sea-config", "sea.json");
  if (buildsItself) return;
  const program = join(folder.folder, "program");
  copyFileSync(node, program);
  chmodSync(program, 0o755);
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
  const args = [installed("postject/dist/cli.js"), program, "NODE_SEA_BLOB", output, ...fuse];
  await folder.run(process.execPath, ...args);
}

const executable = (line) => ({
  name: `Node ${line}, one executable`,
  ways: `esbuild, then ${line >= 26 ? "`node --build-sea`" : "`node --experimental-sea-config` and postject"}`,
  packageOf: `node${line}`,
  async run({ folder, modelAddress }) {
    folder.addProgram("main.js");
    await bundleWithEsbuild(folder, "cjs", "dist/main.cjs");
    await makeExecutable(folder, line);
    for (const path of ["steps.js", "dist"]) rmSync(join(folder.folder, path), { recursive: true });
    return resultsIn(await folder.run("./program", modelAddress));
  },
});

export const hosts = [
  withEsbuild("esm", "mjs"),
  withEsbuild("cjs", "cjs"),
  forNode('webpack, `target: "node"`', "webpack", "webpack/lib/index.js"),
  forNode('Rspack, `target: "node"`', "@rspack/core", "@rspack/core/dist/index.js"),
  ...LINES.map(executable),
];
