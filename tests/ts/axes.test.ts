/** Several position axes and xPos, against the reference values. */
import { load, type RopeOptions } from "ropewalk";
import { expect, it } from "vitest";
import { readGolden } from "./golden.js";
import { expectNear } from "./near.js";

const ropewalk = await load({ analysis: true });

interface AxesCase {
  name: string;
  pairing: "interleaved" | "half";
  shape: [number, number, number, number];
  sections?: number[];
  interleaved?: boolean;
  base?: number;
  grid?: [rows: number, columns: number];
  scale_base?: number;
  centre?: number;
  positions: number[];
  x: number[];
  y: number[];
  q: number[];
  k: number[];
  q_out: number[];
  k_out: number[];
}

const cases = readGolden<{ cases: AxesCase[] }>("rope/multi-axis.json").cases;
const named = (name: string) => cases.find((each) => each.name === name)!;

const NEAR = { relative: 2e-7 };

/** "t, h, w per token" of the file, as [axes * B * S]. */
const axisMajor = (perToken: readonly number[], axes: number) =>
  Array.from({ length: axes }, (_, axis) => perToken.filter((_, i) => i % axes === axis)).flat();

it.each(["mrope-chunked", "mrope-interleaved"])("golden axes: %s", (name) => {
  const one = named(name);
  const [batch, sequence, heads, headDim] = one.shape;
  const order = one.interleaved ? "interleaved" : "chunked";
  const options: RopeOptions = { headDim, pairing: one.pairing, axes: { sections: one.sections!, order } };
  using rope = ropewalk.rope(options);
  const positions = axisMajor(one.positions, 3);
  expectNear(rope.rotate(Float32Array.from(one.x), { batch, sequence, heads, positions }), one.y, NEAR);
});

it("golden axes: an image by column and row", () => {
  const one = named("axial-2d");
  const [batch, sequence, heads, headDim] = one.shape;
  const columns = one.grid![1];
  using rope = ropewalk.rope({
    headDim,
    pairing: one.pairing,
    frequencies: { type: "default", base: one.base! },
    axes: { sections: [headDim / 4, headDim / 4], restartFrequencies: true },
  });
  const tokens = Array.from({ length: sequence }, (_, i) => i);
  const positions = [...tokens.map((i) => i % columns), ...tokens.map((i) => Math.floor(i / columns))];
  expectNear(rope.rotate(Float32Array.from(one.x), { batch, sequence, heads, positions }), one.y, NEAR);
  const gradients = rope.gradients(Float32Array.from(one.x), Float32Array.from(one.y), {
    ...{ batch, sequence, heads, positions },
  });
  expect(gradients.positions).toHaveLength(2 * sequence);
});

it("golden xPos: queries grow by what keys shrink", () => {
  const one = named("xpos");
  const [batch, sequence, heads, headDim] = one.shape;
  const xpos = { scaleBase: one.scale_base!, centre: one.centre! };
  using rope = ropewalk.rope({ headDim, pairing: one.pairing, xpos });
  const q = Float32Array.from(one.q);
  const k = Float32Array.from(one.k);
  const at = { batch, sequence, heads, positions: one.positions };
  expectNear(rope.rotate(q, at), one.q_out, NEAR);
  expectNear(rope.rotate(k, { ...at, role: "key" }), one.k_out, NEAR);
  const both = rope.rotateQK(q, k, at);
  expect(both.q).toEqual(rope.rotate(q, { ...at, role: "query" }));
  expect(both.k).toEqual(rope.rotate(k, { ...at, role: "key" }));
  expectNear(rope.unrotate(both.k, { ...at, role: "key" }), one.k, NEAR);
  // rerotate is for keys unless told otherwise.
  const to = { positions: one.positions.map((m) => m + 100) };
  expectNear(rope.rerotate(both.k, { ...at, to }), rope.rotate(k, { ...at, ...to, role: "key" }), NEAR);
  expectNear(rope.rerotate(both.q, { ...at, to, role: "query" }), rope.rotate(q, { ...at, ...to }), NEAR);
});
