import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeProject, type Project, root } from "./project.js";

let project: Project;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project?.remove());

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
  const esbuild = join(root, "node_modules/esbuild/bin/esbuild");
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
  const golden = join(root, "tests/golden/roformer/base");
  const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "captain"];
  project.write(
    "roformer.mjs",
    `import { readFileSync } from "node:fs";
    import { load } from "ropewalk";
    const ropewalk = await load();
    const config = JSON.parse(readFileSync(${JSON.stringify(join(golden, "config.json"))}, "utf8"));
    const weights = ${JSON.stringify(join(golden, "model.safetensors"))};
    const model = await ropewalk.roformer({ config, weights, tokenizer: ${JSON.stringify(words.join("\n"))} });
    console.log(model.fillMask("the [MASK]", { topK: 3 })[0].length);`,
  );
  expect(project.run(process.execPath, "roformer.mjs").trim()).toBe("3");
});

it("has types for every way of resolution", () => {
  project.write(
    "types.ts",
    `import { load, type Rope, type RoFormer } from "ropewalk";
    import { load as external } from "ropewalk/external";
    export async function use(): Promise<Float32Array> {
      const ropewalk = await load();
      using rope: Rope = ropewalk.rope({ headDim: 4, frequencies: { type: "default", base: 500000 } });
      using tensor = ropewalk.tensor([1, 1, 1, 4]);
      rope.rotate(tensor, { sequence: 1, heads: 1 });
      // @ts-expect-error a misspelt option
      ropewalk.rope({ headdim: 4 });
      const model: RoFormer = await (await external()).roformer({ config: {}, weights: new Uint8Array() });
      return model.embed(["a"]);
    }`,
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,esnext.disposable"];
    project.run(process.execPath, tsc, ...flags, "--module", module!, "--moduleResolution", resolution!, "types.ts");
  }
});
