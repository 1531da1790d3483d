// dist/: the npm package, from bindings/ts and the WebAssembly module that the preset `wasm` built.
//   node tools/package/build.mjs [folder that holds core.js and core.wasm]
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { checkWebFile } from "./check-web-file.mjs";
import { core, moduleFrom } from "./core-plugin.mjs";
import { printSizes } from "./sizes.mjs";
import { emitTypes } from "./types.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
const built = moduleFrom(process.argv[2] ?? join(root, "build/wasm/bindings/embind"));

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const entries = ["web", "node", "external", "external-node"];
await build({
  entryPoints: entries.map((name) => join(root, `bindings/ts/entries/${name}.ts`)),
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: ["es2022", "safari16.4"],
  minify: true,
  // The package's only dependency, which a page loads when it first needs words.
  external: ["node:*", "@huggingface/tokenizers"],
  plugins: [core(built)],
  logLevel: "warning",
});
writeFileSync(join(dist, "core.wasm"), built.wasm);
emitTypes(root, dist);

for (const name of ["web", "external"]) {
  // new URL("./core.wasm", import.meta.url) is the point of the external entry, and trouble in the default one.
  checkWebFile(join(dist, `${name}.js`), { importMeta: name === "external" });
}
printSizes(root, (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
