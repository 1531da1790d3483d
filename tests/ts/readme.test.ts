/** Examples of README.md, run as they stand. The first one is run from the package by tests/package. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, it, vi } from "vitest";

const root = new URL("../../", import.meta.url);

/** What the first example after a heading prints. */
async function printedBy(heading: string, name: string): Promise<unknown[][]> {
  const section = readFileSync(new URL("README.md", root), "utf8").split(`\n${heading}\n`)[1]!;
  const example = section.match(/```ts\n([\s\S]*?)```/)![1]!;
  const { code } = await transform(example, { loader: "ts" });
  const file = new URL(`build/readme/${name}.mjs`, root);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, code);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(/* @vite-ignore */ file.href);
  const printed = log.mock.calls.map((line) => [...line] as unknown[]);
  log.mockRestore();
  return printed;
}

it("time series", async () => {
  const [first, second] = await printedBy("## Time series", "time-series");
  const scores = String(first![0]).split(" ").map(Number);
  expect(scores).toHaveLength(4);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(second).toEqual([true]);
});

it("train in Node", { timeout: 60_000 }, async () => {
  const [symbols, ...results] = await printedBy("### Train in Node", "train-in-node");
  expect(symbols![0]).toMatch(/^\[PAD\] \[MASK\] a b .* p < >$/);
  expect(results.map(([encoding, sequence]) => [encoding, sequence])).toEqual([
    ["rope", 24],
    ["rope", 48],
    ["alibi", 24],
    ["alibi", 48],
  ]);
  const [short, long, ...alibi] = results.map(([, , accuracy]) => Number(accuracy));
  expect(short).toBe(1);
  expect(long).toBe(1);
  for (const accuracy of alibi) expect(Math.abs(accuracy - 0.5)).toBeLessThan(0.06);
});
