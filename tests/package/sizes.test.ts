import { expect, it } from "vitest";
import { fromRoot, readJson, readText, readUnwrapped } from "../ts/files.js";
import { run } from "./project.mjs";

const sizes = fromRoot("tools/package/sizes.mjs");
const { measure, measureFiles } = (await import(/* @vite-ignore */ sizes)) as {
  measure(root: string): { name: string; raw: number; gzipped: number; limit: number }[];
  measureFiles(root: string): { file: string; raw: number; gzipped: number }[];
};
const budget = readJson<{ unpacked: number }>("tools/package/budget.json");

it.each(measure(fromRoot()))("$name stays within $limit bytes gzipped", ({ gzipped, limit }) => {
  expect(gzipped).toBeLessThanOrEqual(limit);
});

const kilobytesOf = (name: string) => measure(fromRoot()).find((load) => load.name === name)!.gzipped / 1000;

it("the sizes in the guide are those of the package, the sum is theirs, and README repeats it", () => {
  const guide = readUnwrapped("docs/guide.md");
  const listed = guide.split("Gzipped, a page loads ")[1]!.split("The sizes add up")[0]!;
  const stated = [...listed.matchAll(/\b(\d+) (?:KB )?for /g)].map(([, size]) => Number(size));
  const names = [
    ...["default entry", "encoders", "decoders", "training", "analysis"],
    ...["tokenizers", "relaxed SIMD", "workers"],
  ];
  expect(stated).toHaveLength(names.length);
  for (const [i, name] of names.entries())
    expect(Math.abs(stated[i]! - kilobytesOf(name)), name).toBeLessThanOrEqual(1);
  const [, sum, total] = /(\d+(?: \+ \d+)+) = (\d+) KB/.exec(guide)!;
  const parts = sum!.split(" + ").map(Number);
  expect(parts).toEqual([0, 1, 5, 6].map((i) => stated[i]));
  expect(Number(total)).toBe(parts.reduce((all, part) => all + part, 0));
  expect(readText("README.md")).toContain(`code is ${total} KB gzipped`);
  const compared = readText("docs/applications.md");
  expect(compared).toContain(`| ${total} KB to embed in 8 bits |`);
});

it("the table of sizes holds every file of code that is published, with its sizes", () => {
  const [packed] = JSON.parse(run(fromRoot(), "npm", "pack", "--json", "--dry-run")) as {
    files: { path: string; size: number }[];
  }[];
  const code = packed!.files.filter(({ path }) => /^dist\/[^/]+\.(js|wasm)$/.test(path));
  const files = measureFiles(fromRoot());
  expect(files.map(({ file, raw }) => [`dist/${file}`, raw]).sort()).toEqual(
    code.map(({ path, size }) => [path, size]).sort(),
  );
  for (const { raw, gzipped } of files) expect(gzipped).toBeLessThan(raw * 1.01 + 64);
});

it("an error that nobody catches prints a short line of the package", () => {
  // Others are one text: modules in base64, and the worker's script.
  const code = measureFiles(fromRoot()).filter(
    ({ file }) => file.endsWith(".js") && !/-inlined\.js$|^worker-text/.test(file),
  );
  for (const { file } of code) {
    const lines = readText(`dist/${file}`).split("\n");
    expect(Math.max(...lines.map((line) => line.length)), file).toBeLessThan(2_000);
  }
});

it(`the package stays within ${budget.unpacked / 1e6} MB unpacked, holds what it should, and needs nothing else`, () => {
  const [packed] = JSON.parse(run(fromRoot(), "npm", "pack", "--json", "--dry-run")) as {
    unpackedSize: number;
    files: { path: string }[];
  }[];
  expect(packed!.unpackedSize).toBeLessThanOrEqual(budget.unpacked);
  const paths = packed!.files.map(({ path }) => path);
  for (const path of paths)
    expect(path).toMatch(
      /^(dist\/.*\.(js|wasm|d\.ts)|dist\/(tokenizers|templates|search)\.LICENSE\.txt|dist\/THIRD-PARTY\.txt|README\.md|LICENSE|package\.json)$/,
    );
  for (const name of [
    "core.wasm",
    "analysis.wasm",
    "model.wasm",
    "decoder.wasm",
    "train.wasm",
    "relaxed.wasm",
    "tokenizers.js",
    "tokenizers.LICENSE.txt",
    "templates.js",
    "templates.LICENSE.txt",
    "search.js",
    "search.LICENSE.txt",
    "THIRD-PARTY.txt",
  ])
    expect(paths).toContain(`dist/${name}`);
  // It has no dependency, so that nothing of it can be missing or change.
  const manifest = readJson<Record<string, object | undefined>>("package.json");
  expect(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })).toEqual([]);
  const atInstall = /^(?:(?:pre|post)?install|prepare)$/;
  expect(Object.keys(manifest.scripts!).filter((name) => atInstall.test(name))).toEqual([]);
});
