// Other bundlers for pages, without any configuration that is about this package.
import { installed, openBelow, SUB_PATH } from "../folder.mjs";
import { checkRotateOnly } from "../results.mjs";

/** Both pages: that which only rotates, then all. `build(folder)` builds main.js and returns the folder to serve. */
function pages({ name, packageOf, ways, script, build, whole = false }) {
  return {
    name,
    packageOf,
    ways,
    async run({ folder, makeFolder, lateParts }) {
      if (!whole) {
        const small = makeFolder("rotate-only");
        small.addPage(["rotate"], script);
        checkRotateOnly(await small.open(await build(small)), lateParts);
      }
      folder.addPage(undefined, script);
      const out = await build(folder);
      folder.addModel(out);
      return (await folder.open(out)).results;
    },
  };
}

const classicScript = '<script src="./main.js"></script>';

const packed = (bundler, more = "") => `
  import bundler from ${JSON.stringify(bundler)};
  const compiler = bundler({ mode: "production", context: import.meta.dirname, entry: "./main.js"${more} });
  compiler.run((error, stats) => {
    if (error || stats.hasErrors()) {
      console.error(error ?? stats.toString({ all: false, errors: true }));
      process.exitCode = 1;
    }
    compiler.close(() => {});
  });
`;

/** webpack or Rspack by a script in the folder that calls it as its documentation shows. `more` are options of the compiler. */
export async function runPacker(folder, path, more) {
  folder.write("build.mjs", packed(installed(path), more));
  await folder.run(process.execPath, "build.mjs");
}

/** Both write dist/main.js beside the chunks. */
async function buildPacked(folder, path) {
  await runPacker(folder, path);
  folder.addHtml("dist/index.html", '<script defer src="./main.js"></script>');
  return "dist";
}

const esbuild = installed("esbuild/bin/esbuild");

async function buildWithEsbuild(folder, ...options) {
  await folder.run(esbuild, "main.js", "--bundle", "--outdir=dist", "--log-level=error", ...options);
  const script = options.includes("--format=esm") ? undefined : '<script defer src="./main.js"></script>';
  folder.addHtml("dist/index.html", script);
  return "dist";
}

const rollupConfig = `
  import resolve from ${JSON.stringify(installed("@rollup/plugin-node-resolve/dist/es/index.js"))};
  export default { input: "main.js", output: { dir: "dist" }, plugins: [resolve({ browser: true })] };
`;

export const withWebpack = (folder) => buildPacked(folder, "webpack/lib/index.js");
export const withRspack = (folder) => buildPacked(folder, "@rspack/core/dist/index.js");

export async function withParcel(folder) {
  const options = ["--dist-dir", "dist", "--public-url", "./", "--no-cache", "--log-level", "error"];
  await folder.run(process.execPath, installed("parcel/lib/bin.js"), "build", "index.html", ...options);
  return "dist";
}

export const hosts = [
  pages({ name: "Parcel", packageOf: "parcel", build: withParcel }),
  pages({ name: "webpack", packageOf: "webpack", build: withWebpack }),
  {
    name: "webpack, below a path",
    ways: `a site at ${SUB_PATH}; \`publicPath\` as it is`,
    packageOf: "webpack",
    async run({ folder }) {
      folder.addPage();
      const out = await withWebpack(folder);
      folder.addModel(out);
      return (await openBelow(folder, out)).results;
    },
  },
  pages({ name: "Rspack", packageOf: "@rspack/core", build: withRspack }),
  pages({
    name: "Rollup with node-resolve",
    packageOf: "rollup",
    async build(folder) {
      folder.write("rollup.config.mjs", rollupConfig);
      await folder.run(process.execPath, installed("rollup/dist/bin/rollup"), "--config", "--silent");
      folder.addHtml("dist/index.html");
      return "dist";
    },
  }),
  pages({
    name: "esbuild, `--splitting`",
    packageOf: "esbuild",
    build: (folder) => buildWithEsbuild(folder, "--format=esm", "--splitting"),
  }),
  pages({
    name: "esbuild, one ES module",
    packageOf: "esbuild",
    whole: true,
    build: (folder) => buildWithEsbuild(folder, "--format=esm"),
  }),
  pages({
    name: "esbuild, one classic script",
    packageOf: "esbuild",
    whole: true,
    script: classicScript,
    build: (folder) => buildWithEsbuild(folder, "--format=iife"),
  }),
];
