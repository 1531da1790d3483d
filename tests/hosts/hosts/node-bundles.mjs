// Programs for Node in one file, which leave every other file of the package behind.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { installed, resultsIn } from "../folder.mjs";

/** `build(folder)` turns main.js into a program and returns the command that runs it, without its argument. */
const bundle = ({ build, ...host }) => ({
  ...host,
  async run({ folder, modelAddress }) {
    folder.addProgram("main.js");
    const [command, ...args] = await build(folder);
    // Nothing must be found beside the program but the program.
    rmSync(join(folder.folder, "steps.js"));
    return resultsIn(await folder.run(command, ...args, modelAddress));
  },
});

const packed = (bundler) => `
  import bundler from ${JSON.stringify(bundler)};
  const context = import.meta.dirname;
  const compiler = bundler({ mode: "production", target: "node", context, entry: "./main.js" });
  compiler.run((error, stats) => {
    if (error || stats.hasErrors()) {
      console.error(error ?? stats.toString({ all: false, errors: true }));
      process.exitCode = 1;
    }
    compiler.close(() => {});
  });
`;

const forNode = (name, packageOf, path) =>
  bundle({
    name,
    packageOf,
    async build(folder) {
      folder.write("build.mjs", packed(installed(path)));
      await folder.run(process.execPath, "build.mjs");
      // Both write CommonJS.
      folder.write("dist/package.json", "{}");
      return [process.execPath, "dist/main.js"];
    },
  });

const withEsbuild = (format, extension) =>
  bundle({
    name: `esbuild for Node, one file, \`--format=${format}\``,
    packageOf: "esbuild",
    async build(folder) {
      const out = `dist/main.${extension}`;
      const options = ["--bundle", "--platform=node", `--format=${format}`, `--outfile=${out}`, "--log-level=error"];
      await folder.run(installed("esbuild/bin/esbuild"), "main.js", ...options);
      return [process.execPath, out];
    },
  });

export const hosts = [
  withEsbuild("esm", "mjs"),
  withEsbuild("cjs", "cjs"),
  forNode('webpack, `target: "node"`', "webpack", "webpack/lib/index.js"),
  forNode('Rspack, `target: "node"`', "@rspack/core", "@rspack/core/dist/index.js"),
];
