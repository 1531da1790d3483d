/** The figures of docs/guide.md are what their formulas draw. */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { guideFigures } from "../../tools/site/guide-figures.mjs";
import { fromRoot, readText } from "./files.js";

it("docs/guide holds the figures as they are drawn now", () => {
  const figures = guideFigures();
  expect(readdirSync(fromRoot("docs/guide")).sort()).toEqual(Object.keys(figures).sort());
  for (const [name, svg] of Object.entries(figures)) expect(readText(`docs/guide/${name}`)).toBe(svg);
});
