// dist/: the npm package, from bindings/ts and the WebAssembly modules that the preset `wasm` built.
//   node tools/package/build.mjs [folder that holds {core,analysis,model,decoder,train}.{js,wasm} and relaxed.wasm]
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { checkWebFile } from "./check-web-file.mjs";
import { grammarLibrary } from "./grammar-library.mjs";
import { printSizes, withImports } from "./sizes.mjs";
import { emitTypes } from "./types.mjs";
import { familiesOf, moduleFrom, packed, wasmModules } from "./wasm-modules.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
const folder = process.argv[2] ?? join(root, "build/wasm/bindings/embind");
const modules = {};
for (const name of ["core", "analysis", "model", "decoder", "train"]) modules[name] = await moduleFrom(folder, name);
// No Emscripten in it, and so no glue.
modules.relaxed = { wasm: readFileSync(join(folder, "relaxed.wasm")), glue: undefined };
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const families = [...(await familiesOf(modules.model)), ...(await familiesOf(modules.decoder))];

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const lineLimit = 400;

const forEveryHost = {
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: ["es2022", "safari16.4"],
  minify: true,
  // Node prints the line that throws: a whole bundle where it is one line.
  lineLimit,
  logLevel: "warning",
};

/** Bundles of entries, with what those that users import have in common in files beside them: it is most of each. */
async function bundle(names, more) {
  await build({
    ...forEveryHost,
    entryPoints: names.map((name) => join(root, `bindings/ts/entries/${name}.ts`)),
    external: ["node:*"],
    plugins: [wasmModules(modules, families, version)],
    ...more,
  });
}
const inParts = { splitting: true, chunkNames: "shared-[hash]" };
await bundle(["web", "node", "external", "external-node", "workerd"], inParts);
await bundle(["parallel", "parallel-node"], inParts);
// Other bundles that are loaded later stay whole: each part would be one more request.
const later = [
  ...["analysis", "model", "decoder", "train", "hub", "gguf", "heads", "offsets", "tokenizer-limits"],
  "beginnings",
];
await bundle([...later, "hub-node"]);
/** `list.push(...tokens)` puts them all on the stack, which has no room for the 100,000 of a long text. */
const oneByOne = {
  name: "one by one",
  setup({ onLoad }) {
    onLoad({ filter: /tokenizers\.mjs$/ }, ({ path }) => {
      let found = 0;
      const contents = readFileSync(path, "utf8").replace(/(\w+)\.push\(\.\.\.(\w+)\)/g, (_, list, tokens) => {
        found++;
        return `${tokens}.forEach((token) => ${list}.push(token))`;
      });
      if (found !== 3) throw new Error(`${path}: ${found} lists where three were`);
      return { contents, loader: "js" };
    });
  },
};

// The worker as a file for pages and as a text, for those that do not find the file and for Node. Its name is unlike any
// that a file of somebody else has, where a bundle looks for it in vain.
await bundle(["worker"], { format: "iife", entryNames: "ropewalk-worker" });
writeFileSync(join(dist, "worker-text.js"), await packed(readFileSync(join(dist, "ropewalk-worker.js"))));
await bundleLibrary(
  "tokenizers",
  "@huggingface/tokenizers",
  ", and changed: it adds the tokens of a long text to a list one by one",
  [oneByOne, wasmModules(modules, families)],
);
await bundleLibrary("templates", "@huggingface/jinja");
await bundleLibrary("search", "minisearch", "", [wasmModules(modules, families)]);
const grammar = grammarLibrary(root);
await bundleLibrary(
  "grammar",
  "@mlc-ai/web-xgrammar",
  ", and changed: of its file this is the part around the module, which is in grammar-inlined.js",
  [wasmModules({ grammar }, families)],
);
writeFileSync(join(dist, "grammar-inlined.js"), await packed(grammar.wasm));

/** A library of somebody else's, and what uses it, in a file of its own. */
async function bundleLibrary(entry, name, changed = "", plugins = []) {
  const folder = join(root, "node_modules", name);
  const { version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  // A package that comes without its licence has it in third-party.txt.
  const notice = readdirSync(folder).find((file) => /^LICENSE(\.txt)?$/.test(file));
  const seen = notice === undefined ? "THIRD-PARTY.txt" : `${entry}.LICENSE.txt`;
  const by = author === undefined ? "" : ` by ${author}`;
  await build({
    ...forEveryHost,
    entryPoints: [join(root, `bindings/ts/entries/${entry}.ts`)],
    plugins,
    banner: {
      js: `/*! With ${name} ${version}${by}, ${license} (see ${seen}), bundled and minified${changed}. */`,
    },
  });
  if (notice !== undefined) copyFileSync(join(folder, notice), join(dist, seen));
}
copyFileSync(join(root, "tools/package/third-party.txt"), join(dist, "THIRD-PARTY.txt"));
// The command line tool takes the package as anybody else does.
await build({
  entryPoints: { cli: join(root, "bindings/ts/cli/main.ts") },
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  lineLimit,
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

// The glue is for tests/ts/int8-variant.test.ts.
mkdirSync(join(root, "build/package"), { recursive: true });
for (const [name, module] of Object.entries(modules)) {
  writeFileSync(join(dist, `${name}.wasm`), module.wasm);
  writeFileSync(join(dist, `${name}-inlined.js`), await packed(module.wasm));
  writeFileSync(join(root, `build/package/${name}.wasm`), module.wasm);
  if (module.glue !== undefined) writeFileSync(join(root, `build/package/${name}-glue.mjs`), module.glue);
}
await emitTypes(root, dist);

const inPages = ["web", "external", "workerd", "parallel", "ropewalk-worker"];
for (const name of [...inPages, ...later, "tokenizers", "templates", "grammar", "search"]) {
  // new URL("./core.wasm", import.meta.url) is the point of the external entry, and trouble in the default one.
  const [entry, ...shared] = withImports(dist, `${name}.js`);
  checkWebFile(join(dist, entry), { importMeta: name === "external" || name === "parallel" });
  for (const file of shared.filter((each) => each.startsWith("shared-"))) {
    checkWebFile(join(dist, file), { importMeta: false });
  }
}
printSizes(root);
