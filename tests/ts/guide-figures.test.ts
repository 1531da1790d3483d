/** The figures of docs/guide.md are what their formulas draw. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { guideFigures } from "../../tools/site/guide-figures.mjs";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "docs/guide");

it("docs/guide holds the figures as they are drawn now", () => {
  const figures = guideFigures();
  expect(readdirSync(folder).sort()).toEqual(Object.keys(figures).sort());
  for (const [name, svg] of Object.entries(figures)) expect(readFileSync(join(folder, name), "utf8")).toBe(svg);
});
