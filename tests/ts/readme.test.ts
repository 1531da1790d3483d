/** Examples of README.md, run as they stand. The first one is run from the package by tests/package. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, it, vi } from "vitest";

const root = new URL("../../", import.meta.url);

it("time series", async () => {
  const section = readFileSync(new URL("README.md", root), "utf8").split("\n## Time series\n")[1]!;
  const example = section.match(/```ts\n([\s\S]*?)```/)![1]!;
  const { code } = await transform(example, { loader: "ts" });
  const file = new URL("build/readme/time-series.mjs", root);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, code);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(/* @vite-ignore */ file.href);
  const printed = log.mock.calls.map(([line]) => line as unknown);
  log.mockRestore();
  const scores = String(printed[0]).split(" ").map(Number);
  expect(scores).toHaveLength(4);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(printed[1]).toBe(true);
});
