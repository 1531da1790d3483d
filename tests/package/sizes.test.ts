import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { root, run } from "./project.js";

const sizes = pathToFileURL(join(root, "tools/package/sizes.mjs")).href;
const { measure } = (await import(/* @vite-ignore */ sizes)) as {
  measure(root: string): { name: string; gzipped: number; limit: number }[];
};
const budget = JSON.parse(readFileSync(join(root, "tools/package/budget.json"), "utf8")) as { unpacked: number };

it.each(measure(root))("$name stays within $limit bytes gzipped", ({ gzipped, limit }) => {
  expect(gzipped).toBeLessThanOrEqual(limit);
});

it("the package stays within 1 MB unpacked, and holds what it should", () => {
  const [packed] = JSON.parse(run(root, "npm", "pack", "--json", "--dry-run")) as {
    unpackedSize: number;
    files: { path: string }[];
  }[];
  expect(packed!.unpackedSize).toBeLessThanOrEqual(budget.unpacked);
  const paths = packed!.files.map(({ path }) => path);
  for (const path of paths)
    expect(path).toMatch(/^(dist\/.*\.(js|wasm|d\.ts)|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/);
  expect(paths).toContain("dist/core.wasm");
});
