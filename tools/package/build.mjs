// dist/: the npm package, from bindings/ts and the WebAssembly modules that the preset `wasm` built.
//   node tools/package/build.mjs [folder that holds core.{js,wasm} and model.{js,wasm}]
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { checkWebFile } from "./check-web-file.mjs";
import { printSizes } from "./sizes.mjs";
import { emitTypes } from "./types.mjs";
import { inlined, moduleFrom, wasmModules } from "./wasm-modules.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
const folder = process.argv[2] ?? join(root, "build/wasm/bindings/embind");
const modules = { core: moduleFrom(folder, "core"), model: moduleFrom(folder, "model") };

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const entries = ["web", "node", "external", "external-node"];
await build({
  entryPoints: entries
    .flatMap((name) => [name, `model-${name}`])
    .map((name) => join(root, `bindings/ts/entries/${name}.ts`)),
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: ["es2022", "safari16.4"],
  minify: true,
  // The package's only dependency, which a page loads when it first needs words.
  external: ["node:*", "@huggingface/tokenizers"],
  plugins: [wasmModules(modules)],
  logLevel: "warning",
});
// The glue is for tests/ts/module.test.ts, which asks the modules themselves what they export.
mkdirSync(join(root, "build/package"), { recursive: true });
for (const [name, module] of Object.entries(modules)) {
  writeFileSync(join(dist, `${name}.wasm`), module.wasm);
  writeFileSync(join(dist, `${name}-inlined.js`), inlined(module));
  writeFileSync(join(root, `build/package/${name}-glue.mjs`), module.glue);
}
emitTypes(root, dist);

for (const name of ["web", "model-web", "external", "model-external"]) {
  // new URL("./core.wasm", import.meta.url) is the point of the external entry, and trouble in the default one.
  checkWebFile(join(dist, `${name}.js`), { importMeta: name.endsWith("external") });
}
printSizes(root);
