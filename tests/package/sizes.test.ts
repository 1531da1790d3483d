import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { root, run } from "./project.js";

const budget = JSON.parse(readFileSync(join(root, "tools/package/budget.json"), "utf8")) as {
  gzipped: Record<string, number>;
  unpacked: number;
};

it.each(Object.entries(budget.gzipped))("%s gzipped stays within %i bytes", (file, limit) => {
  expect(gzipSync(readFileSync(join(root, "dist", file)), { level: 9 }).length).toBeLessThanOrEqual(limit);
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
