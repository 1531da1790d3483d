/** The programs of docs/vision.md, held to what Transformers and diffusers computed, and to the conformance vectors. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Rope } from "ropewalk";
import { expect, it } from "vitest";
import { testFolder } from "./command-line.js";
import { fromRoot, readJson, readText } from "./files.js";
import { readGolden } from "./golden.js";
import { expectNear } from "./near.js";

const folder = testFolder("vision");
interface Program {
  rope: Rope;
  positions?: number[];
}

/** Runs the program under a heading, and hands over its variables. What it prints is checked by the tests of the package. */
async function programOf(heading: string, names: string): Promise<Program> {
  const part = readText("docs/vision.md").split(`\n### ${heading}\n`)[1]!;
  const [, source] = /^```js\n([\s\S]*?)^```$/m.exec(part)!;
  const library = pathToFileURL(fromRoot("dist/node.js")).href;
  const quiet = source!.replace('"ropewalk"', JSON.stringify(library)).replaceAll("console.log(", "void (");
  const file = join(folder, `${heading.replaceAll(/\W/g, "")}.mjs`);
  writeFileSync(file, `${quiet}\nexport { ${names} };\n`);
  return import(/* @vite-ignore */ pathToFileURL(file).href) as Promise<Program>;
}

const NEAR = { relative: 5e-7 };

interface Case {
  name: string;
  shape: [tokens: number, heads: number, headDim: number];
  positions: number[];
  axes: number;
  x: number[];
  y: number[];
}
const { cases } = readGolden<{ cases: Case[] }>("vision/vision.json");

const headings: [golden: string, heading: string][] = [
  ["dinov3", "Coordinates in place of counts: DINOv3"],
  ["pixtral", "Even and odd frequencies: Pixtral"],
  ["qwen2-vl-vision", "Axial: Qwen2-VL's pictures"],
  ["gemma4-vision", "Pairs inside each part of the head: Gemma 4"],
  ["llama4-vision", "A class token that stands still: Llama 4"],
  ["ernie-4.5-vl", "An axis for each pair: ERNIE 4.5 VL"],
  ["glm-4v", "Sections of a part of the head: GLM-4V"],
  ["flux", "Flux"],
  ["wan", "Wan"],
];

it.each(headings)("%s has the positions and the rotation of its library", async (name, heading) => {
  const { axes, shape, ...one } = cases.find((each) => each.name === name)!;
  const { rope, positions } = await programOf(heading, "rope, positions");
  const byAxis = Array.from({ length: axes }, (_, a) => one.positions.filter((_, i) => i % axes === a)).flat();
  expect(positions).toHaveLength(byAxis.length);
  // The file's coordinates of DINOv3 are float32.
  byAxis.forEach((position, i) => void expect(positions![i]).toBeCloseTo(position, 6));
  const [sequence, heads] = shape;
  expectNear(rope.rotate(Float32Array.from(one.x), { sequence, heads, positions: byAxis }), one.y, NEAR);
  rope.dispose();
});

it("every case has a program", () => {
  expect(cases.map(({ name }) => name).sort()).toEqual(headings.map(([name]) => name).sort());
});

it("the mixed rope is that of the conformance vectors", async () => {
  const { rope } = await programOf("Mixed: RoPE-ViT", "rope");
  const vectors = readJson<{
    cases: { name: string; x: number[]; positions: number[][]; rotated: number[][] }[];
  }>("conformance/vectors/axes.json");
  const one = vectors.cases.find(({ name }) => name.startsWith("mixed"))!;
  // Positions up to a million turn the angle of a float64 by no more than a float32 shows.
  one.positions.forEach((positions, row) => {
    expectNear(rope.rotate(Float32Array.from(one.x), { sequence: 1, heads: 1, positions }), one.rotated[row]!, NEAR);
  });
  rope.dispose();
});
