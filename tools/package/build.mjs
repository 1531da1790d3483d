// dist/: the npm package, from bindings/ts and the WebAssembly modules that the preset `wasm` built.
//   node tools/package/build.mjs [folder that holds {core,analysis,model}.{js,wasm}]
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { checkWebFile } from "./check-web-file.mjs";
import { printSizes, withImports } from "./sizes.mjs";
import { emitTypes } from "./types.mjs";
import { inlined, moduleFrom, wasmModules } from "./wasm-modules.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
const folder = process.argv[2] ?? join(root, "build/wasm/bindings/embind");
const modules = Object.fromEntries(["core", "analysis", "model"].map((name) => [name, moduleFrom(folder, name)]));

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

/** Bundles of entries, with what the four that users import have in common in files beside them: it is most of each. */
async function bundle(names, splitting) {
  await build({
    entryPoints: names.map((name) => join(root, `bindings/ts/entries/${name}.ts`)),
    outdir: dist,
    bundle: true,
    splitting,
    chunkNames: "shared-[hash]",
    format: "esm",
    platform: "neutral",
    target: ["es2022", "safari16.4"],
    minify: true,
    // The package's only dependency, which a page loads when it first needs words.
    external: ["node:*", "@huggingface/tokenizers"],
    plugins: [wasmModules(modules)],
    logLevel: "warning",
  });
}
await bundle(["web", "node", "external", "external-node"], true);
// What is loaded later stays whole: each part would be one more request.
await bundle(["analysis", "model", "parallel", "parallel-node", "worker", "worker-node"], false);
// The command line tool takes the package as anybody else does.
await build({
  entryPoints: { cli: join(root, "bindings/ts/cli/main.ts") },
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  plugins: [
    {
      name: "ropewalk-itself",
      setup(build) {
        build.onResolve({ filter: /\/entries\/node\.js$/ }, () => ({ path: "./node.js", external: true }));
      },
    },
  ],
  logLevel: "warning",
});
chmodSync(join(dist, "cli.js"), 0o755);

// The glue is for tests/ts/module.test.ts, which asks the modules themselves what they export.
mkdirSync(join(root, "build/package"), { recursive: true });
for (const [name, module] of Object.entries(modules)) {
  // The analysis has no external entry, since whoever counts bytes leaves it out.
  if (name !== "analysis") writeFileSync(join(dist, `${name}.wasm`), module.wasm);
  writeFileSync(join(dist, `${name}-inlined.js`), await inlined(module));
  writeFileSync(join(root, `build/package/${name}.wasm`), module.wasm);
  writeFileSync(join(root, `build/package/${name}-glue.mjs`), module.glue);
}
emitTypes(root, dist);

for (const name of ["web", "external", "analysis", "model", "parallel", "worker"]) {
  // new URL("./core.wasm", import.meta.url) is the point of the external entry, and trouble in the default one.
  const [entry, ...shared] = withImports(dist, `${name}.js`);
  checkWebFile(join(dist, entry), { importMeta: name === "external" || name === "parallel" });
  for (const file of shared.filter((each) => each.startsWith("shared-"))) {
    checkWebFile(join(dist, file), { importMeta: false });
  }
}
printSizes(root);
