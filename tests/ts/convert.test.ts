/** Weights between pairings, and which pairing made a sample. */
import { convertPairing, detectPairing, load, type Pairing } from "ropewalk";
import { describe, expect, it } from "vitest";

const ropewalk = await load({ analysis: true });
const wave = (length: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * i + 1));

describe("convertPairing", () => {
  it("moves rows as the order of channels says", () => {
    const rows = Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7);
    const options = { from: "half", to: "interleaved", heads: 1, headDim: 8, rotaryDim: 6 } as const;
    const moved = convertPairing(rows, options);
    expect([...moved]).toEqual([0, 3, 1, 4, 2, 5, 6, 7]);
    expect(rows).toEqual(Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7));
    expect(convertPairing(moved, { ...options, from: "interleaved", to: "half" })).toEqual(rows);
  });

  it("keeps the scores of grouped heads, there and back the same bits", () => {
    const [hidden, headDim, heads, kvHeads, rotaryDim] = [6, 8, 4, 2, 6];
    const x = wave(2 * hidden);
    const project = (weight: Float32Array, out: number) =>
      Float32Array.from({ length: 2 * out }, (_, i) => {
        const [token, row] = [Math.floor(i / out), i % out];
        let sum = 0;
        for (let c = 0; c < hidden; c++) sum += weight[row * hidden + c]! * x[token * hidden + c]!;
        return sum;
      });
    const [q, k] = [wave(heads * headDim * hidden), wave(kvHeads * headDim * hidden + 3).subarray(3)];
    const scores = (pairing: Pairing, qWeight: Float32Array, kWeight: Float32Array) => {
      using rope = ropewalk.rope({ headDim, rotaryDim, pairing });
      const turned = rope.rotateQK(project(qWeight, heads * headDim), project(kWeight, kvHeads * headDim), {
        sequence: 2,
        heads,
        kvHeads,
        positions: 5,
      });
      return Array.from({ length: heads }, (_, head) => {
        let sum = 0;
        for (let c = 0; c < headDim; c++) {
          const key = (Math.floor(head / 2) * headDim + c) as number;
          sum += turned.q[heads * headDim + head * headDim + c]! * turned.k[key]!;
        }
        return sum;
      });
    };
    const to = (weight: Float32Array, count: number) =>
      convertPairing(weight, { from: "half", to: "interleaved", heads: count, headDim, rotaryDim });
    const [newQ, newK] = [to(q, heads), to(k, kvHeads)];
    scores("interleaved", newQ, newK).forEach((score, i) => {
      expect(score).toBeCloseTo(scores("half", q, k)[i]!, 5);
    });
    const back = { from: "interleaved", to: "half", heads: kvHeads, headDim, rotaryDim } as const;
    expect(convertPairing(newK, back)).toEqual(k.slice());
  });

  it("moves 16-bit patterns as well", () => {
    const bits = Uint16Array.of(0x3c00, 0x7e01, 0x8000, 0xffff);
    const moved = convertPairing(bits, { from: "half", to: "interleaved", heads: 1, headDim: 4 });
    expect(moved).toEqual(Uint16Array.of(0x3c00, 0x8000, 0x7e01, 0xffff));
  });

  it.each<[string, object, ErrorConstructor, string]>([
    ["an odd rotaryDim", { rotaryDim: 3 }, RangeError, "convertPairing: `rotaryDim` is 3"],
    ["heads that do not fit", { heads: 3 }, RangeError, "convertPairing: `weight`"],
    ["another pairing", { to: "adjacent" }, RangeError, 'convertPairing: `to` is "adjacent"'],
    ["no heads", { heads: undefined }, TypeError, "convertPairing: `heads` is undefined"],
  ])("refuses %s", (_, change, type, words) => {
    const weight = wave(16);
    const call = () =>
      convertPairing(weight, { from: "half", to: "interleaved", heads: 2, headDim: 8, ...change } as never);
    expect(call).toThrow(type);
    expect(call).toThrow(words);
    expect(weight).toEqual(wave(16));
  });
});

describe("detectPairing", () => {
  const options = { headDim: 8, rotaryDim: 6 };
  const sizes = { batch: 2, sequence: 3, heads: 2, positions: 4 };
  const x = wave(2 * 3 * 2 * 8);

  it.each(["interleaved", "half"] as const)("sees %s, through the roundings of bfloat16 too", (pairing) => {
    using rope = ropewalk.rope({ ...options, pairing });
    const rotated = rope.rotate(x, sizes);
    expect(detectPairing(x, rotated, options, sizes)).toBe(pairing);
    const bits = new Uint32Array(rotated.slice().buffer).map((word) => word & 0xffff0000);
    expect(detectPairing(x, new Float32Array(bits.buffer), { ...options, pairing: "half" }, sizes)).toBe(pairing);
  });

  it("knows packed sequences", () => {
    using rope = ropewalk.rope(options);
    const packed = { sequence: 6, heads: 2, positions: 4, layout: "thd" as const, cumulativeLengths: [0, 2, 6] };
    expect(detectPairing(x, rope.rotate(x, packed), options, packed)).toBe("interleaved");
    expect(() => detectPairing(x, x, options, { ...packed, cumulativeLengths: [0] })).toThrow("`cumulativeLengths`");
  });

  it("sees neither, and says when a sample says nothing", () => {
    expect(detectPairing(x, wave(x.length + 1).subarray(1), options, sizes)).toBeUndefined();
    expect(() => detectPairing(x, x, options, { ...sizes, sequence: 1, batch: 6, positions: 0 })).toThrow(RangeError);
    expect(() => detectPairing(x, x.subarray(1), options, sizes)).toThrow("detectPairing: `rotated`");
  });
});
