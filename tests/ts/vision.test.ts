/** Ropes of pictures and video, scales of queries, and given angles, against the reference values. */
import { type Axes, type GivenAngles, load, type RopeOptions } from "ropewalk";
import { expect, it } from "vitest";
import { readGolden } from "./golden.js";
import { expectNear } from "./near.js";

const ropewalk = await load({ analysis: true });

interface VisionCase {
  name: string;
  shape: [tokens: number, heads: number, headDim: number];
  positions: number[];
  axes: number;
  channels_of_pair: [number, number][];
  axis_of_pair: number[];
  frequencies: number[];
  x: number[];
  y: number[];
}
interface GivenCase {
  name: string;
  pairing: "interleaved" | "half";
  shape: [number, number, number, number];
  pairs: number;
  x: number[];
  angles: number[];
  y: number[];
  grad_y: number[];
  grad_x: number[];
  grad_angles: number[];
}
interface ScaleCase {
  name: string;
  floor_scale?: number;
  attn_scale?: number;
  llama_4_scaling_beta?: number;
  original_max_position_embeddings?: number;
  positions: number[];
  scales: number[];
}

const { cases } = readGolden<{ cases: VisionCase[] }>("vision/vision.json");
const { given_angles, query_scales } = readGolden<{ given_angles: GivenCase[]; query_scales: ScaleCase[] }>(
  "vision/rope-2.json",
);

const NEAR = { relative: 5e-7 };

/** The rope of a case, as options. */
function optionsOf(one: VisionCase): RopeOptions {
  const pairs = one.channels_of_pair.length;
  const [, partner] = one.channels_of_pair[0]!;
  const bySection = partner !== 1 && partner < pairs;
  const sections = Array.from({ length: one.axes }, (_, axis) => one.axis_of_pair.filter((a) => a === axis).length);
  const axes: Axes = bySection ? { sections, pairWithin: "section" } : { order: one.axis_of_pair };
  return {
    headDim: one.shape[2],
    rotaryDim: 2 * pairs,
    pairing: partner === 1 ? "interleaved" : "half",
    frequencies: { type: "custom", frequencies: one.frequencies },
    axes,
  };
}

it.each(cases.map((one) => [one.name, one] as const))("rotates as the library does: %s", (_, one) => {
  using rope = ropewalk.rope(optionsOf(one));
  const [sequence, heads] = one.shape;
  const positions = Array.from({ length: one.axes }, (_, a) => one.positions.filter((_, i) => i % one.axes === a));
  expectNear(rope.rotate(Float32Array.from(one.x), { sequence, heads, positions: positions.flat() }), one.y, NEAR);
});

it("explains an order of its own and pairs inside sections", () => {
  using listed = ropewalk.rope(optionsOf(cases.find(({ name }) => name === "ernie-4.5-vl")!));
  expect(listed.explain().text).toContain("3 position axes, which rotate 2, 3 and 3 pairs, in an order of their own.");
  using inside = ropewalk.rope(optionsOf(cases.find(({ name }) => name === "gemma4-vision")!));
  expect(inside.explain().text).toContain("(i, i + n) inside the section of n pairs of each axis");
});

it.each(query_scales.map((one) => [one.name, one] as const))("scales queries as %s does", (_, one) => {
  const queryScale =
    one.name === "llama4"
      ? { scale: one.attn_scale!, length: one.floor_scale!, offset: 1 as const }
      : { scale: one.llama_4_scaling_beta!, length: one.original_max_position_embeddings! };
  using rope = ropewalk.rope({ headDim: 4, queryScale });
  // The file gives `ministral3` in 10 digits, so that they are off by up to 5e-10.
  expectNear(rope.queryScales(one.positions), one.scales, { absolute: one.name === "llama4" ? 1e-12 : 5e-10 });
  using plain = ropewalk.rope({ headDim: 4 });
  expect([...plain.queryScales([0, 1e5])]).toEqual([1, 1]);
  // Queries are scaled, keys are not.
  const x = new Float32Array([1, 2, 3, 4]);
  const placement = { sequence: 1, heads: 1, positions: [one.positions.at(-1)!] };
  const bare = plain.rotate(x, placement);
  expectNear(
    rope.rotate(x, placement),
    Array.from(bare, (value) => value * one.scales.at(-1)!),
    NEAR,
  );
  expect(rope.rotate(x, { ...placement, role: "key" })).toEqual(bare);
  expect(() => rope.queryScales([-7])).toThrow(/`positions\[0\]` is -7/);
});

const shapeOf = ({ shape: [batch, sequence, heads, dimension], pairs, pairing }: GivenCase): GivenAngles => {
  return { batch, sequence, heads, dimension, pairs, pairing };
};

it.each(given_angles.map((one) => [one.name, one] as const))("rotates by given angles: %s", (_, one) => {
  const y = ropewalk.rotateBy(one.x, one.angles, shapeOf(one));
  expect(y).toBeInstanceOf(Float32Array);
  expectNear(y, one.y, NEAR);
  const gradients = ropewalk.rotateByGradient(one.x, one.angles, one.grad_y, shapeOf(one));
  expectNear(gradients.x, one.grad_x, NEAR);
  expectNear(gradients.angles, one.grad_angles, NEAR);
});

it("has a table of ropes with several axes, all at one position", () => {
  using mixed = ropewalk.rope({
    headDim: 4,
    frequencies: { type: "custom", frequencies: [1, 2, 3, 4] },
    axes: { sections: [2, 2] },
  });
  const { cos } = mixed.table([0, 0.25]); // row and column 0.25: angles 0.25 * (1 + 3) and 0.25 * (2 + 4)
  expectNear(cos, [1, 1, Math.cos(1), Math.cos(1.5)], NEAR);
  using sections = ropewalk.rope({ headDim: 4, axes: { sections: [1, 1], restartFrequencies: true } });
  expectNear(sections.table([2]).sin, [Math.sin(2), Math.sin(2)], NEAR);
});

it("refuses what does not agree, by name", () => {
  const one = given_angles[0]!;
  const shape = shapeOf(one);
  const call = (x: unknown, angles: unknown, changes: object) => () =>
    ropewalk.rotateBy(x as number[], angles as number[], { ...shape, ...changes });
  expect(call(one.x, one.angles, { pairs: 100 })).toThrow(
    "rotateBy: `pairs` is 100; allowed: a whole number from 1 to dimension / 2",
  );
  expect(call(one.x, [1], {})).toThrow("rotateBy: `angles` has 1 elements; allowed: batch * sequence * heads * pairs");
  expect(call([1], one.angles, {})).toThrow("rotateBy: `x` has 1 elements");
  expect(call(one.x, one.angles, { pairing: "both" })).toThrow("rotateBy: `pairing` is ");
  expect(call(one.x, [Number.NaN, ...one.angles.slice(1)], {})).toThrow("rotateBy: `angles` is NaN; allowed: finite");
  expect(call("x", one.angles, {})).toThrow("rotateBy: `x` is ");
  expect(() => ropewalk.rope({ headDim: 8, axes: { order: [0, 1] } })).toThrow(
    "rope: `axes.order` is [0, 1]; allowed: the axis, 0 to 7, of each of 4 pairs",
  );
  expect(() => ropewalk.rope({ headDim: 8, axes: { sections: [2, 2], pairWithin: "section" } })).toThrow(
    'rope: `axes.pairWithin` is "section"; allowed: "head", except with half pairing in chunked sections',
  );
  expect(() => ropewalk.rope({ headDim: 8, queryScale: { scale: 1, length: 0 } })).toThrow(
    "rope: `queryScale.length` is 0; allowed: a finite number above 0",
  );
});
