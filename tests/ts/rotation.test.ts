import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { largestPairError, optionsOf, rotationCases } from "./golden.js";

const ropewalk = await load();
// The contract: two units in the last place of the pair's length.
const TOLERANCE = 2 * 2 ** -23;

describe.each(rotationCases())("golden rotation: $name", (one) => {
  const [batch, sequence, heads, headDim] = one.shape;
  const placement = { batch, sequence, heads, positions: one.positions };
  const x = Float32Array.from(one.x);

  it("rotates to the reference", () => {
    using rope = ropewalk.rope(optionsOf(one));
    expect(rope.magnitude).toBeCloseTo(one.attention_factor, 12);
    const y = rope.rotate(x, placement);
    expect(y).not.toBe(x);
    expect(x).toEqual(Float32Array.from(one.x));
    expect(largestPairError(y, one.y, one.x, one)).toBeLessThanOrEqual(TOLERANCE);
    for (let i = 0; i < y.length; i++) {
      if (i % headDim >= one.rotary_dim) expect(y[i]).toBe(x[i]);
    }
  });

  it("is undone by unrotate", () => {
    using rope = ropewalk.rope(optionsOf(one));
    const back = rope.unrotate(rope.rotate(x, placement), placement);
    expect(largestPairError(back, one.x, one.x, { ...one, attention_factor: 1 })).toBeLessThanOrEqual(2 * TOLERANCE);
  });

  it("gives the same bits in place, into another array, in a Tensor and as q and k", () => {
    using rope = ropewalk.rope(optionsOf(one));
    const y = rope.rotate(x, placement);

    const inPlace = x.slice();
    expect(rope.rotate(inPlace, { ...placement, out: inPlace })).toBe(inPlace);
    expect(inPlace).toEqual(y);

    const out = new Float32Array(x.length);
    expect(rope.rotate(x, { ...placement, out })).toBe(out);
    expect(out).toEqual(y);

    using tensor = ropewalk.tensor(one.shape, x);
    using target = ropewalk.tensor(one.shape);
    expect(rope.rotate(tensor, { ...placement, out: target })).toBe(target);
    expect(target.data.slice()).toEqual(y);
    expect(tensor.data.slice()).toEqual(x);
    expect(rope.rotate(tensor, placement)).toBe(tensor);
    expect(tensor.data.slice()).toEqual(y);

    const { q, k } = rope.rotateQK(x, x, placement);
    expect(q).toEqual(y);
    expect(k).toEqual(y);
  });
});

describe("positions", () => {
  it("a start counts upwards, as the same numbers one by one", () => {
    using rope = ropewalk.rope({ headDim: 6 });
    const x = Float32Array.from({ length: 4 * 2 * 6 }, (_, i) => Math.sin(i));
    const fromStart = rope.rotate(x, { sequence: 4, heads: 2, positions: -2.5 });
    expect(rope.rotate(x, { sequence: 4, heads: 2, positions: [-2.5, -1.5, -0.5, 0.5] })).toEqual(fromStart);
  });

  it("grouped heads: k has its own number of them", () => {
    using rope = ropewalk.rope({ headDim: 4, pairing: "half" });
    const q = Float32Array.from({ length: 3 * 4 * 4 }, (_, i) => Math.cos(i));
    const k = Float32Array.from({ length: 3 * 2 * 4 }, (_, i) => Math.sin(i));
    const both = rope.rotateQK(q, k, { sequence: 3, heads: 4, kvHeads: 2, positions: 7 });
    expect(both.q).toEqual(rope.rotate(q, { sequence: 3, heads: 4, positions: 7 }));
    expect(both.k).toEqual(rope.rotate(k, { sequence: 3, heads: 2, positions: 7 }));
  });

  it("q and k may each have strides", () => {
    using rope = ropewalk.rope({ headDim: 10 });
    const [q, k] = [150, 50].map((length) => Float32Array.from({ length }, (_, i) => Math.sin(i * 1.7) * 3));
    const sizes = { sequence: 5, heads: 3, kvHeads: 1 };
    const strides = { batch: 150, sequence: 30, head: 10 };
    const keyStrides = { batch: 50, sequence: 10, head: 10 };
    expect(rope.rotateQK(q!, k!, { ...sizes, strides, keyStrides })).toEqual(rope.rotateQK(q!, k!, sizes));
  });

  it("the table holds cos and sin of each position", () => {
    using rope = ropewalk.rope({
      headDim: 8,
      frequencies: { type: "custom", frequencies: [1, 0.5, 0, -2], magnitude: 3 },
    });
    const { cos, sin } = rope.table([0, 1.25, -4]);
    [0, 1.25, -4].forEach((m, row) => {
      [1, 0.5, 0, -2].forEach((theta, j) => {
        expect(cos[row * 4 + j]).toBeCloseTo(3 * Math.cos(m * theta), 6);
        expect(sin[row * 4 + j]).toBeCloseTo(3 * Math.sin(m * theta), 6);
      });
    });
    expect([...rope.wavelengths]).toEqual([2 * Math.PI, 4 * Math.PI, Number.POSITIVE_INFINITY, Math.PI]);
  });

  it("angles of float32 are those of PyTorch: the product of float32 numbers, rounded", () => {
    using rope = ropewalk.rope({ headDim: 2, frequencies: { type: "custom", frequencies: [0.1] }, angles: "float32" });
    const angle = Math.fround(Math.fround(0.1) * 100003);
    expect(rope.table([100003]).cos[0]).toBe(Math.fround(Math.cos(angle)));
  });
});
