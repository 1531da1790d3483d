import fc from "fast-check";
import { load, type RopeOptions } from "ropewalk";
import { expect, it } from "vitest";
import { expectNear } from "./near.js";

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
      expectNear(rope.unrotate(rope.rotate(x, placement), placement), x, { absolute: 1e-6 });
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
      expectNear(rope.rotate(rope.rotate(x, at(a)), at(b)), rope.rotate(x, at(a + b)), { absolute: 1e-6 });
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

it("rerotate is unrotate, then rotate by the new rule, its magnitude once", () => {
  const whole = fc.integer({ min: -1e8, max: 1e8 });
  fc.assert(
    fc.property(scene, whole, whole, fc.boolean(), ({ options, sizes, x }, from, to, crossing) => {
      using rope = ropewalk.rope(options);
      using longer = ropewalk.rope({ ...options, frequencies: { type: "yarn", factor: 4, originalMaxPositions: 64 } });
      const target = crossing ? longer : rope;
      const cached = rope.rotate(x, { ...sizes, positions: from });
      const before = cached.slice();
      const moved = rope.rerotate(cached, { ...sizes, positions: from, to: { rope: target, positions: to } });
      expect(cached).toEqual(before);
      const plain = rope.unrotate(cached, { ...sizes, positions: from });
      expectNear(moved, target.rotate(plain, { ...sizes, positions: to }), { absolute: 2e-6 });

      using tensor = ropewalk.tensor([x.length], cached);
      expect(rope.rerotate(tensor, { ...sizes, positions: from, to: { rope: target, positions: to } })).toBe(tensor);
      expect(tensor.data.slice()).toEqual(moved);
      const list = new Float64Array(sizes.sequence).map((_, i) => to + i);
      const inPlace = { ...sizes, positions: from, to: { rope: target, positions: list }, out: cached };
      expectNear(rope.rerotate(cached, inPlace), moved, { absolute: 1e-6 });
    }),
  );
});

it("every layout gives the same bits", () => {
  fc.assert(
    fc.property(scene, position, fc.integer({ min: 0, max: 3 }), ({ options, sizes, x }, start, gap) => {
      using rope = ropewalk.rope(options);
      const { batch, sequence, heads } = sizes;
      const { headDim } = options;
      const positions = Array.from({ length: batch * sequence }, (_, i) => start + i * 31.5);
      const expected = rope.rotate(x, { ...sizes, positions });
      expect(rope.rotate(x, { ...sizes, positions, layout: "bshd" })).toEqual(expected);

      const cumulativeLengths = Array.from({ length: batch + 1 }, (_, b) => b * sequence);
      const packed = { sequence: batch * sequence, heads, layout: "thd" as const, cumulativeLengths, positions };
      expect(rope.rotate(x, packed)).toEqual(expected);

      // Heads outside tokens, as bhsd has them, with room between them that stays as it is.
      const strides = {
        batch: heads * sequence * (headDim + gap),
        sequence: headDim + gap,
        head: sequence * (headDim + gap),
      };
      const move = (from: Float32Array, to: Float32Array, back: boolean) => {
        for (let b = 0; b < batch; b++) {
          for (let s = 0; s < sequence; s++) {
            for (let h = 0; h < heads; h++) {
              const dense = ((b * sequence + s) * heads + h) * headDim;
              const wide = b * strides.batch + s * strides.sequence + h * strides.head;
              const [start, end] = back ? [wide, dense] : [dense, wide];
              to.set(from.subarray(start, start + headDim), end);
            }
          }
        }
        return to;
      };
      const wide = move(x, new Float32Array(batch * strides.batch).fill(9), false);
      const rotated = rope.rotate(wide, { ...sizes, positions, strides });
      expect(move(rotated, new Float32Array(x.length), true)).toEqual(expected);
      expect(rotated).toEqual(move(expected, new Float32Array(wide.length).fill(9), false));
      if (gap === 0) expect(rope.rotate(wide, { ...sizes, positions, layout: "bhsd" })).toEqual(rotated);
    }),
  );
});

it("packed sequences start anew, wherever they are cut", () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lengths, position, (counts, start) => {
      const tokens = counts.reduce((sum, count) => sum + count, 0);
      fc.pre(tokens > 0);
      using rope = ropewalk.rope({ headDim: 6 });
      const x = Float32Array.from({ length: tokens * 2 * 6 }, (_, i) => Math.sin(i));
      const cumulativeLengths = Uint32Array.from([
        0,
        ...counts.map((_, i) => counts.slice(0, i + 1).reduce((a, b) => a + b)),
      ]);
      const positions = counts.flatMap((count) => Array.from({ length: count }, (_, i) => start + i));
      const sizes = { sequence: tokens, heads: 2 };
      const packed = { ...sizes, layout: "thd" as const, cumulativeLengths };
      const expected = rope.rotate(x, { ...sizes, positions });
      expect(rope.rotate(x, { ...packed, positions: start })).toEqual(expected);
      expect(rope.rotate(x, { ...packed, positions })).toEqual(expected);
      expectNear(rope.rerotate(expected, { ...packed, positions: start, to: { positions: start } }), expected, {
        absolute: 0,
      });
    }),
  );
});

it("frequencies arrive as the doubles that they are", () => {
  fc.assert(
    fc.property(fc.double({ min: Number.MIN_VALUE, max: 2 ** 39, noNaN: true }), (theta) => {
      using rope = ropewalk.rope({ headDim: 2, frequencies: { type: "custom", frequencies: [theta] } });
      expect(rope.frequencies[0]).toBe(theta);
    }),
  );
});
