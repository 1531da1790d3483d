import fc from "fast-check";
import { load, type RopeOptions } from "ropewalk";
import { expect, it } from "vitest";

const ropewalk = await load();

/** A rope of any width, tails included, and a matching array. */
const scene = fc
  .record({
    pairs: fc.integer({ min: 1, max: 21 }),
    rest: fc.integer({ min: 0, max: 5 }),
    pairing: fc.constantFrom("interleaved" as const, "half" as const),
    batch: fc.integer({ min: 1, max: 3 }),
    sequence: fc.integer({ min: 1, max: 9 }),
    heads: fc.integer({ min: 1, max: 5 }),
    seed: fc.integer(),
  })
  .map(({ pairs, rest, pairing, batch, sequence, heads, seed }) => {
    const headDim = 2 * pairs + rest;
    const options: RopeOptions = { headDim, rotaryDim: 2 * pairs, rotaryOffset: rest >> 1, pairing };
    const x = Float32Array.from({ length: batch * sequence * heads * headDim }, (_, i) => Math.sin(i * 12.9898 + seed));
    return { options, sizes: { batch, sequence, heads }, x };
  });
const position = fc.double({ min: -1e8, max: 1e8, noNaN: true });

function pairLengths(x: Float32Array, { headDim, rotaryDim, rotaryOffset = 0, pairing }: RopeOptions): number[] {
  const half = rotaryDim! / 2;
  const lengths: number[] = [];
  for (let head = rotaryOffset; head < x.length; head += headDim) {
    for (let j = 0; j < half; j++) {
      const [a, b] = pairing === "half" ? [j, j + half] : [2 * j, 2 * j + 1];
      lengths.push(Math.hypot(x[head + a]!, x[head + b]!));
    }
  }
  return lengths;
}

function expectNear(actual: Float32Array, expected: Float32Array, tolerance: number): void {
  actual.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(tolerance);
  });
}

it("keeps the length of every pair", () => {
  fc.assert(
    fc.property(scene, position, ({ options, sizes, x }, positions) => {
      using rope = ropewalk.rope(options);
      const before = pairLengths(x, options);
      const after = pairLengths(rope.rotate(x, { ...sizes, positions }), options);
      after.forEach((length, i) => {
        expect(Math.abs(length - before[i]!)).toBeLessThanOrEqual(before[i]! * 5e-7);
      });
    }),
  );
});

it("unrotate undoes rotate", () => {
  fc.assert(
    fc.property(scene, position, ({ options, sizes, x }, positions) => {
      using rope = ropewalk.rope(options);
      const placement = { ...sizes, positions };
      expectNear(rope.unrotate(rope.rotate(x, placement), placement), x, 1e-6);
    }),
  );
});

it("rotating by a, then by b, is rotating by a + b", () => {
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(scene, whole, whole, ({ options, sizes, x }, a, b) => {
      using rope = ropewalk.rope(options);
      // All tokens at the same position, so that the steps add up.
      const at = (m: number) => ({ ...sizes, positions: new Array<number>(sizes.sequence).fill(m) });
      expectNear(rope.rotate(rope.rotate(x, at(a)), at(b)), rope.rotate(x, at(a + b)), 1e-6);
    }),
  );
});

it("the score of q and k depends on their distance only, however far out", () => {
  fc.assert(
    fc.property(
      scene,
      fc.integer({ min: -100, max: 100 }),
      fc.integer({ min: -1e8, max: 1e8 }),
      ({ options, x }, distance, shift) => {
        using rope = ropewalk.rope(options);
        const one = { sequence: 1, heads: 1 };
        const q = x.slice(0, options.headDim);
        const k = q.map((value, i) => Math.cos(i) - value);
        const score = (m: number, n: number) => {
          const turnedQ = rope.rotate(q, { ...one, positions: m });
          const turnedK = rope.rotate(k, { ...one, positions: n });
          return turnedQ.reduce((sum, value, i) => sum + value * turnedK[i]!, 0);
        };
        expect(Math.abs(score(distance, 0) - score(shift + distance, shift))).toBeLessThanOrEqual(2e-5);
      },
    ),
  );
});
