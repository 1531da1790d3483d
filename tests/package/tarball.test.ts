import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fromRoot } from "../ts/files.js";
import { goldenPath } from "../ts/golden.js";
import { makeProject } from "./project.mjs";

const project = makeProject();
afterAll(() => project.remove());

const rotate = `
  const rope = ropewalk.rope({ headDim: 4 });
  const y = rope.rotate(Float32Array.of(1, 0, 1, 0), { sequence: 1, heads: 1, positions: 2 });
  console.log(Array.from(y, (value) => value.toFixed(4)).join(" "));
`;
const rotated = "-0.4161 0.9093 0.9998 0.0200";

it.each(["ropewalk", "ropewalk/external"])("rotates after `import` of %s", (name) => {
  project.write("esm.mjs", `import { load } from "${name}";\nconst ropewalk = await load();\n${rotate}`);
  expect(project.run(process.execPath, "esm.mjs").trim()).toBe(rotated);
});

it.each(["ropewalk", "ropewalk/external"])("rotates after `require` of %s", (name) => {
  project.write("cjs.cjs", `const { load } = require("${name}");\nload().then((ropewalk) => {${rotate}});\n`);
  expect(project.run(process.execPath, "cjs.cjs").trim()).toBe(rotated);
});

it.each([
  ["esm", "mjs"],
  ["cjs", "cjs"],
])("rotates in a bundle for Node as %s, which leaves core.wasm behind", (format, extension) => {
  project.write("bundled.mjs", `import { load } from "ropewalk";\nload().then((ropewalk) => {${rotate}});\n`);
  const esbuild = fromRoot("node_modules/esbuild/bin/esbuild");
  const out = `bundle/${format}/app.${extension}`;
  const options = ["--bundle", "--platform=node", `--format=${format}`, `--outfile=${out}`, "--log-level=error"];
  project.run(esbuild, "bundled.mjs", ...options);
  expect(project.run(process.execPath, out).trim()).toBe(rotated);
});

it("rotates in a worker of Node", () => {
  project.write("worker.mjs", `import { load } from "ropewalk";\nconst ropewalk = await load();\n${rotate}`);
  project.write(
    "main.mjs",
    `import { Worker } from "node:worker_threads";\nnew Worker(new URL("./worker.mjs", import.meta.url));\n`,
  );
  expect(project.run(process.execPath, "main.mjs").trim()).toBe(rotated);
});

it("runs a RoFormer, with words", () => {
  const golden = goldenPath("roformer/base");
  const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "captain"];
  project.write(
    "roformer.mjs",
    `import { readFileSync } from "node:fs";
    import { load } from "ropewalk";
    const ropewalk = await load();
    const model = await ropewalk.encoder({
      "config.json": JSON.parse(readFileSync(${JSON.stringify(join(golden, "config.json"))}, "utf8")),
      "model.safetensors": ${JSON.stringify(join(golden, "model.safetensors"))},
      "vocab.txt": new Blob([${JSON.stringify(words.join("\n"))}]),
    });
    console.log((await model.fillMask("the [MASK]", { topK: 3 }))[0].length);`,
  );
  expect(project.run(process.execPath, "roformer.mjs").trim()).toBe("3");
});

it("has types for every way of resolution", () => {
  project.write(
    "types.ts",
    `import { type Encoder, load, type Rope } from "ropewalk";
    import { load as external } from "ropewalk/external";
    export async function use(): Promise<Float32Array> {
      const ropewalk = await load();
      using rope: Rope = ropewalk.rope({ headDim: 4, frequencies: { type: "default", base: 500000 } });
      using tensor = ropewalk.tensor([1, 1, 1, 4]);
      rope.rotate(tensor, { sequence: 1, heads: 1 });
      // @ts-expect-error a misspelt option
      ropewalk.rope({ headdim: 4 });
      const model: Encoder = await (await external()).encoder({ "config.json": {}, "model.safetensors": new Uint8Array() });
      return model.embed("a");
    }`,
  );
  const tsc = fromRoot("node_modules/typescript/bin/tsc");
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,esnext.disposable"];
    project.run(process.execPath, tsc, ...flags, "--module", module!, "--moduleResolution", resolution!, "types.ts");
  }
});

const USE = `
  import { type Encoder, load, type Rope, type WasmSource } from "ropewalk";
  import { load as external } from "ropewalk/external";
  export async function use(weights: Uint8Array, wasm: WasmSource): Promise<Float32Array> {
    const ropewalk = await load({ analysis: true, analysisWasm: wasm });
    const rope: Rope = ropewalk.rope({ headDim: 4 });
    rope.dispose();
    const model: Encoder = await (await external()).encoder({ "config.json": {}, "model.safetensors": weights });
    return model.embed("a");
  }
`;

it("the search field stays in a bundle, has types, and can be imported where there are no elements", () => {
  project.write("field.mjs", 'import "ropewalk/search";\nconsole.log(typeof globalThis.customElements);\n');
  expect(project.run(process.execPath, "field.mjs").trim()).toBe("undefined");
  const options = ["--bundle", "--format=esm", "--splitting", "--outdir=field", "--log-level=error"];
  project.run(fromRoot("node_modules/esbuild/bin/esbuild"), "field.mjs", ...options);
  expect(readFileSync(join(project.folder, "field/field.js"), "utf8")).toContain("ropewalk-search");
  project.write(
    "field.ts",
    `import type { SearchHit } from "ropewalk/search";
    import "ropewalk/search";
    export const addressOf = (hit: SearchHit): string => hit.address;`,
  );
  const tsc = fromRoot("node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"];
  project.run(process.execPath, tsc, ...flags, "field.ts");
});

it("has types that need no DOM, in a project for Node", () => {
  project.write("node-only.ts", USE);
  const types = fromRoot("node_modules/@types");
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022", "--typeRoots", types];
  const tsc = fromRoot("node_modules/typescript/bin/tsc");
  project.run(process.execPath, tsc, ...flags, "--types", "node", "--module", "nodenext", "node-only.ts");
});

it("leaves out of a bundle what the program does not import", () => {
  project.write("one-function.mjs", 'import { detectPairing } from "ropewalk";\nconsole.log(typeof detectPairing);\n');
  project.write("nothing.mjs", 'import "ropewalk";\n');
  const sizeOf = (file: string) => {
    const options = ["--bundle", "--format=esm", "--minify", "--log-level=error"];
    return project.run(fromRoot("node_modules/esbuild/bin/esbuild"), file, ...options).length;
  };
  expect(sizeOf("nothing.mjs")).toBeLessThan(10);
  // Neither the module nor Emscripten's code around it.
  expect(sizeOf("one-function.mjs")).toBeLessThan(16_000);
});

it("a thread's error reaches whoever asked for workers", () => {
  project.write(
    "no-threads.mjs",
    `import { load } from "ropewalk";
    const ropewalk = await load();
    const weights = new Uint8Array(8);
    const asked = ropewalk.encoder({ "config.json": { model_type: "roformer" }, "model.safetensors": weights }, { workers: 2 });
    await asked.catch((error) => console.log(error.message));`,
  );
  const allowed = ["--experimental-permission", "--allow-fs-read=*"];
  const said = project.run(process.execPath, "--no-warnings", ...allowed, "no-threads.mjs");
  expect(said).toContain("encoder: a worker failed: Access to this API has been restricted");
});

it("takes a page's globals for what they are in Node, as under jsdom", () => {
  project.write(
    "jsdom.mjs",
    `import { load } from "ropewalk/external";
    globalThis.document = {};
    const ropewalk = await load({ analysis: true });\n${rotate}`,
  );
  expect(project.run(process.execPath, "jsdom.mjs").trim()).toBe(rotated);
});
