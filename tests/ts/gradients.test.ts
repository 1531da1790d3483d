import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { largestPairError, optionsOf, type RotationCase, rotationCases } from "./golden.js";
import { expectSameMemory } from "./memory.js";
import { expectNear } from "./near.js";

const ropewalk = await load();
const TOLERANCE = 2 * 2 ** -23;

type GradientCase = RotationCase & {
  grad_y: number[];
  grad_x: number[];
  grad_theta: number[];
  grad_positions: number[];
};

describe.each(rotationCases() as GradientCase[])("golden gradients: $name", (one) => {
  const [batch, sequence, heads] = one.shape;
  const placement = { batch, sequence, heads, positions: one.positions };
  const x = Float32Array.from(one.x);
  const gradY = Float32Array.from(one.grad_y);

  it("are those of the reference", () => {
    using rope = ropewalk.rope(optionsOf(one));
    const gradients = rope.gradients(x, gradY, placement);
    expect(x).toEqual(Float32Array.from(one.x));
    expect(largestPairError(gradients.x, one.grad_x, one.grad_y, one)).toBeLessThanOrEqual(TOLERANCE);
    expectNear(gradients.frequencies, one.grad_theta, { relative: 1e-6 });
    expectNear(gradients.positions, one.grad_positions, { relative: 2e-6 });
    // y = magnitude * (a rotation), so magnitude * dL/dmagnitude = <gradY, y>.
    const product = one.y.reduce(
      (sum, y, i) => (i % one.shape[3] < one.rotary_dim ? sum + y * one.grad_y[i]! : sum),
      0,
    );
    expect(gradients.magnitude * rope.magnitude).toBeCloseTo(product, 4);
    expect("alpha" in gradients).toBe(one.name === "receptive-field");
  });

  it("are the same bits of Tensors and arrays", () => {
    using rope = ropewalk.rope(optionsOf(one));
    using tensor = ropewalk.tensor(one.shape, x);
    expect(rope.gradients(tensor, gradY, placement)).toEqual(rope.gradients(x, gradY, placement));
  });
});

it("alpha and rho by the slopes of a loss", () => {
  const sizes = { sequence: 7, heads: 2, positions: 40 };
  const x = Float32Array.from({ length: 7 * 2 * 8 }, (_, i) => Math.sin(i * 3.3));
  const gradY = x.map((_, i) => Math.cos(i * 1.7));
  const alpha = [0.3, 0.6];
  const rho = 0.4;
  const loss = (a: number[], r: number) => {
    using rope = ropewalk.rope({ headDim: 8, frequencies: { type: "receptive-field", alpha: a, rho: r } });
    return rope.rotate(x, sizes).reduce((sum, y, i) => sum + y * gradY[i]!, 0);
  };
  using rope = ropewalk.rope({ headDim: 8, frequencies: { type: "receptive-field", alpha, rho } });
  const found = rope.gradients(x, gradY, sizes);
  const step = 1e-4;
  const expectSlope = (gradient: number, at: (by: number) => number) => {
    const slope = (at(step) - at(-step)) / (2 * step);
    expect(Math.abs(gradient - slope)).toBeLessThanOrEqual(2e-3 * Math.abs(slope));
  };
  expect(found.alpha).toHaveLength(2);
  expect(found.rho).toHaveLength(1);
  expectSlope(found.alpha![0]!, (by) => loss([0.3 + by, 0.6], rho));
  expectSlope(found.alpha![1]!, (by) => loss([0.3, 0.6 + by], rho));
  expectSlope(found.rho![0]!, (by) => loss(alpha, rho + by));
  expect(found.positions).toHaveLength(7);
});

it("leaves nothing in the module's memory", () => {
  using rope = ropewalk.rope({ headDim: 4 });
  const x = new Float32Array(4000).fill(1);
  const once = () => rope.gradients(x, x, { sequence: 500, heads: 2 });
  once();
  const before = ropewalk.stats();
  for (let i = 0; i < 200; i++) once();
  expectSameMemory(ropewalk.stats(), before);
});
