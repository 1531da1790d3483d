/** decay, score, turns, the effective receptive field, and the fit. */
import { fitReceptiveField, load, type RopeOptions } from "ropewalk";
import { describe, expect, it } from "vitest";
import { readGolden } from "./golden.js";
import { expectNear } from "./near.js";

const ropewalk = await load({ analysis: true });

type Case =
  | { kind: "decay-bound"; head_dim: number; base: number; distances: number[]; value: number[] }
  | {
      kind: "receptive-field-score";
      head_dim: number;
      alpha: number;
      rho: number;
      phi: number;
      q: number[];
      k: number[];
      distances: number[];
      a_prime: number[];
      b_prime: number[];
      score: number[];
    };

describe("golden analysis", () => {
  it.each(readGolden<{ cases: Case[] }>("rope/analysis.json").cases)("$kind of $head_dim channels", (one) => {
    if (one.kind === "decay-bound") {
      using rope = ropewalk.rope({ headDim: one.head_dim, frequencies: { type: "default", base: one.base } });
      expectNear(rope.decay(one.distances), one.value, { absolute: 1e-9 });
      return;
    }
    const { alpha, rho } = one;
    using rope = ropewalk.rope({ headDim: one.head_dim, frequencies: { type: "receptive-field", alpha, rho } });
    const { score, inPhase, quadrature, phi, unrotated } = rope.score(one.q, one.k, one.distances);
    expect(phi).toBeCloseTo(one.phi, 14);
    expect(unrotated).toBe(0);
    expectNear(score, one.score, { absolute: 1e-10 });
    expectNear(inPhase, one.a_prime, { absolute: 1e-10 });
    expectNear(quadrature, one.b_prime, { absolute: 1e-10 });
  });
});

it("the score is that of rotated arrays, unrotated channels included", () => {
  using rope = ropewalk.rope({ headDim: 10, rotaryDim: 6, rotaryOffset: 2, pairing: "half" });
  const q = Float32Array.from({ length: 10 }, (_, i) => Math.sin(i + 1));
  const k = Float32Array.from({ length: 10 }, (_, i) => Math.cos(2 * i));
  const at = (x: Float32Array, m: number) => rope.rotate(x, { sequence: 1, heads: 1, positions: m });
  const distances = [0, 3, -7];
  const { score, unrotated } = rope.score(q, k, distances);
  expect(unrotated).toBeCloseTo(q[0]! * k[0]! + q[1]! * k[1]! + q[8]! * k[8]! + q[9]! * k[9]!, 6);
  distances.forEach((n, i) => {
    const turned = at(k, 100);
    const expected = at(q, 100 + n).reduce((sum, value, c) => sum + value * turned[c]!, 0);
    expect(score[i]).toBeCloseTo(expected, 5);
  });
});

it("turns, and pairs that never complete one", () => {
  using rope = ropewalk.rope({ headDim: 8 });
  const { turns, incomplete } = rope.turns(100);
  expectNear(
    turns,
    [1, 0.1, 0.01, 0.001].map((theta) => (100 * theta) / (2 * Math.PI)),
    { absolute: 1e-12 },
  );
  expect(incomplete).toEqual([2, 3]);
});

it("the effective receptive field is where the mean kernel falls below the threshold", () => {
  using rope = ropewalk.rope({ headDim: 2, frequencies: { type: "custom", frequencies: [0.01] } });
  expect(rope.effectiveReceptiveField()).toBeCloseTo(Math.acos(0.5) / 0.01, 3);
  expect(rope.effectiveReceptiveField({ threshold: 0 })).toBeCloseTo(Math.PI / 2 / 0.01, 3);
  expect(rope.effectiveReceptiveField({ limit: 10 })).toBe(Number.POSITIVE_INFINITY);
});

it("heads with frequencies of their own are analysed one by one", () => {
  const frequencies: RopeOptions["frequencies"] = { type: "custom", frequencies: [1, 0.1, 0.5, 0.05] };
  using rope = ropewalk.rope({ headDim: 4, frequencies });
  using second = ropewalk.rope({ headDim: 4, frequencies: { type: "custom", frequencies: [0.5, 0.05] } });
  expect(rope.decay([0, 1, 9], { head: 1 })).toEqual(second.decay([0, 1, 9]));
  expect(() => rope.decay([1], { head: 2 })).toThrow("`head` is 2");
});

describe("errors", () => {
  const rope = ropewalk.rope({ headDim: 4 });
  const wrong = <T>(value: unknown): T => value as T;

  it.each<[string, () => unknown, ErrorConstructor, string]>([
    ["a distance NaN", () => rope.decay([0, Number.NaN]), RangeError, "decay: `distances[1]` is NaN"],
    ["no distances", () => rope.decay(wrong(undefined)), TypeError, "decay: `distances` is undefined"],
    ["q too short", () => rope.score([1, 2], [1, 2, 3, 4], [0]), RangeError, "score: `q`"],
    ["a context of 0", () => rope.turns(0), RangeError, "`context` is 0"],
    ["a context as text", () => rope.explain({ context: wrong("8") }), TypeError, 'explain: `context` is "8"'],
    ["a context of 0 to explain", () => rope.explain({ context: 0 }), RangeError, "explain: `context` is 0"],
    [
      "a threshold of 1",
      () => rope.effectiveReceptiveField({ threshold: 1 }),
      RangeError,
      "effectiveReceptiveField: `threshold` is 1",
    ],
  ])("%s", (_, call, type, words) => {
    const before = ropewalk.stats();
    expect(call).toThrow(type);
    expect(call).toThrow(words);
    expect(ropewalk.stats().handles).toBe(before.handles);
  });

  it("a disposed rope says so", () => {
    const disposed = ropewalk.rope({ headDim: 4 });
    disposed.dispose();
    expect(() => disposed.explain()).toThrow("explain: this rope has been disposed");
    expect(() => disposed.decay([1])).toThrow("decay: this rope has been disposed");
  });
});

describe("fitReceptiveField", () => {
  const kernel = (headDim: number, alpha: number, rho: number, n: number) => {
    let sum = 0;
    for (let j = 0; j < headDim / 2; j++) {
      sum += Math.cos(n * (alpha / 10000 ** rho + (1 - alpha) * 10000 ** ((-2 * j) / headDim)));
    }
    return sum / (headDim / 2);
  };
  const distances = Array.from({ length: 200 }, (_, n) => n);

  it("recovers what made the curve, and leaves nothing behind", async () => {
    const values = distances.map((n) => kernel(64, 0.3, 0.4, n));
    const steps: number[] = [];
    // After one call the module has all that it allocates only once.
    await fitReceptiveField({ distances, values }, { headDim: 64, steps: 1 });
    const before = ropewalk.stats();
    const onProgress = (step: number, error: number) => {
      steps.push(step);
      expect(error).toBeGreaterThanOrEqual(0);
    };
    const { alpha, rho, error } = await fitReceptiveField({ distances, values }, { headDim: 64, onProgress });
    expect(alpha).toBeCloseTo(0.3, 4);
    expect(rho).toBeCloseTo(0.4, 4);
    expect(error).toBeLessThan(1e-6);
    expect(steps.length).toBeGreaterThan(0);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(ropewalk.stats()).toEqual(before);
  });

  it("stops when it is told to", async () => {
    const values = distances.map((n) => kernel(64, 0.3, 0.4, n));
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error("enough"));
    const before = ropewalk.stats();
    const fitting = fitReceptiveField({ distances, values }, { headDim: 64, onProgress, signal: controller.signal });
    await expect(fitting).rejects.toThrow("enough");
    expect(ropewalk.stats()).toEqual(before);
  });

  it("refuses what cannot be fitted", async () => {
    await expect(fitReceptiveField({ distances: [1], values: [1] }, { headDim: 64 })).rejects.toThrow(RangeError);
    const two = { distances: [1, 2], values: [1, 0.5] };
    await expect(fitReceptiveField({ ...two, values: [1] }, { headDim: 64 })).rejects.toThrow("fitReceptiveField");
    await expect(fitReceptiveField(two, { headDim: 63 })).rejects.toThrow("`headDim` is 63");
    await expect(fitReceptiveField(two, { headDim: 64, steps: 0 })).rejects.toThrow("`steps` is 0");
  });
});

it("the quadrature is the Hilbert transform of the phase where every theta is above phi, and only there", () => {
  const q = [0.3, -0.8, 0.5, 0.1];
  const k = [0.9, 0.2, -0.4, 0.6];
  const check = (alpha: number, rho: number) => {
    using rope = ropewalk.rope({ headDim: 4, frequencies: { type: "receptive-field", base: 100, alpha, rho } });
    return rope.hilbertError(q, k, [0, 1, 7, 40]);
  };
  const good = check(0.3, 0.5);
  expect(good.holds).toBe(true);
  expect(good.error).toBeLessThanOrEqual(good.bound);
  expect(good.bound).toBeLessThan(1e-6);
  // At alpha = 1 a' is constant and b' 0 only where q and k are in phase.
  expect(check(1, 0.5).holds).toBe(false);
  using rope = ropewalk.rope({ headDim: 4 });
  expect(() => rope.hilbertError(q, k, [0.5])).toThrow("hilbertError: `distances[0]` is 0.5; allowed: a whole number");
});
