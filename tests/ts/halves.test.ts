/** float16 and bfloat16: arithmetic in float32, rounded once to nearest even. */
import fc from "fast-check";
import { type Float16Numbers, load } from "ropewalk";
import { describe, expect, it } from "vitest";

const ropewalk = await load();

/** Bits of the fraction, and the exponents of the smallest normal and the largest number. */
const formats = {
  float16: { fraction: 10, lowest: -14, highest: 15 },
  bfloat16: { fraction: 7, lowest: -126, highest: 127 },
};
type Half = keyof typeof formats;
const halves = Object.keys(formats) as Half[];

function decode(type: Half, bits: number): number {
  const { fraction, lowest, highest } = formats[type];
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fraction;
  const part = bits & ((1 << fraction) - 1);
  if (exponent === 0) return sign * part * 2 ** (lowest - fraction);
  if (exponent + lowest - 1 > highest) return part === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + part / (1 << fraction)) * 2 ** (exponent + lowest - 1);
}

/** Encodes a finite number by arithmetic: the nearest multiple of the last place's unit, ties to the even one. */
function encode(type: Half, value: number): number {
  const { fraction, lowest, highest } = formats[type];
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const exponent = size === 0 ? lowest : Math.max(lowest, Math.floor(Math.log2(size)));
  const units = size / 2 ** (exponent - fraction);
  const below = Math.floor(units);
  const rounded = units - below > 0.5 || (units - below === 0.5 && below % 2 === 1) ? below + 1 : below;
  // A carry walks into the exponent by itself.
  const bits = rounded + ((exponent - lowest) << fraction);
  return sign | Math.min(bits, (highest - lowest + 2) << fraction);
}

const patterns = (type: Half, values: Iterable<number>) => Uint16Array.from(values, (value) => encode(type, value));
const numbers = (type: Half, bits: Uint16Array) => Float32Array.from(bits, (each) => decode(type, each));

describe.each(halves)("%s", (dtype) => {
  it("every pattern comes through a rotation by nothing", () => {
    using rope = ropewalk.rope({ headDim: 2 });
    const all = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i);
    const y = rope.rotate(all, { sequence: 1, heads: 2 ** 15, positions: 0, dtype });
    expect(y).not.toBe(all);
    const odd = all.filter((bits) => Number.isNaN(decode(dtype, bits)) !== Number.isNaN(decode(dtype, y[bits]!)));
    // A pair is spoiled by the NaN or infinity of either half, and by nothing else.
    for (const bits of odd) expect(Number.isFinite(decode(dtype, bits ^ 1))).toBe(false);
    all.forEach((bits) => {
      if (Number.isFinite(decode(dtype, bits)) && Number.isFinite(decode(dtype, bits ^ 1))) {
        // -0 may become 0: a * 1 - b * 0.
        expect(decode(dtype, y[bits]!) + 0).toBe(decode(dtype, bits) + 0);
      }
    });
  });

  it("rotates as float32, rounded once", () => {
    fc.assert(
      fc.property(
        fc.record({
          pairs: fc.integer({ min: 1, max: 20 }),
          pairing: fc.constantFrom("interleaved" as const, "half" as const),
          sequence: fc.integer({ min: 1, max: 5 }),
          heads: fc.integer({ min: 1, max: 4 }),
          seed: fc.integer({ min: 0, max: 1000 }),
          positions: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        }),
        ({ pairs, pairing, sequence, heads, seed, positions }) => {
          using rope = ropewalk.rope({ headDim: 2 * pairs, pairing });
          const sizes = { sequence, heads, positions };
          const x = patterns(
            dtype,
            Array.from({ length: sequence * heads * 2 * pairs }, (_, i) => Math.sin(i * 12.9898 + seed) * 8),
          );
          const wanted = patterns(dtype, rope.rotate(numbers(dtype, x), sizes));
          expect(rope.rotate(x, { ...sizes, dtype })).toEqual(wanted);

          const inPlace = x.slice();
          expect(rope.rotate(inPlace, { ...sizes, dtype, out: inPlace })).toBe(inPlace);
          expect(inPlace).toEqual(wanted);

          using tensor = ropewalk.tensor([sequence, heads, 2 * pairs], x, dtype);
          expect(tensor.dtype).toBe(dtype);
          expect(rope.rotate(tensor, sizes)).toBe(tensor);
          expect(tensor.data.slice()).toEqual(wanted);

          const both = rope.rotateQK(x, x, { ...sizes, dtype });
          expect(both).toEqual({ q: wanted, k: wanted });
          const back = numbers(dtype, rope.unrotate(wanted, { ...sizes, dtype }));
          const unit = 2 ** -formats[dtype].fraction;
          numbers(dtype, x).forEach((value, i) => {
            expect(Math.abs(back[i]! - value)).toBeLessThanOrEqual(8 * Math.SQRT2 * 2 * unit);
          });
          const to = { positions: 3 };
          expect(rope.rerotate(wanted, { ...sizes, dtype, to })).toEqual(
            patterns(dtype, rope.rerotate(numbers(dtype, wanted), { ...sizes, to })),
          );
          const gradients = rope.gradients(x, wanted, { ...sizes, dtype });
          expect(gradients).toEqual(rope.gradients(numbers(dtype, x), numbers(dtype, wanted), sizes));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("fills a tensor with zeros", () => {
    using tensor = ropewalk.tensor([3], undefined, dtype);
    expect(tensor.data.slice()).toEqual(new Uint16Array(3));
  });
});

type Float16 = Float16Numbers & { readonly buffer: ArrayBuffer };
/** Node 20 has none; 16-bit patterns that call themselves so do as well. */
const Float16Array =
  (globalThis as { Float16Array?: new (bits: ArrayBuffer) => Float16 }).Float16Array ??
  (class extends Int16Array {
    override get [Symbol.toStringTag]() {
      return "Float16Array" as "Int16Array";
    }
  } as unknown as new (
    bits: ArrayBuffer,
  ) => Float16);

it("a Float16Array says itself what it holds, and comes back as one", () => {
  using rope = ropewalk.rope({ headDim: 4 });
  const values = patterns("float16", [0.5, -1.25, 3, 0.1, 7, 8, 9, 10]);
  const x = new Float16Array(values.slice().buffer);
  const sizes = { sequence: 2, heads: 1, positions: 5 };
  const expected = rope.rotate(values, { ...sizes, dtype: "float16" });
  const y = rope.rotate(x, sizes);
  expect(y).toBeInstanceOf(Float16Array);
  expect(new Uint16Array(y.buffer)).toEqual(expected);
  expect(new Uint16Array(x.buffer)).toEqual(values);
  const sums = rope.gradients(x, y, sizes);
  expect(sums).toEqual(rope.gradients(values, expected, { ...sizes, dtype: "float16" }));
  expect(() => rope.rotate<Float16 | Uint16Array>(x, { ...sizes, out: values })).toThrow("`out`");
  expect(() => rope.rotate(x, { ...sizes, dtype: "bfloat16" })).toThrow('"float16", which `x` holds');
  using tensor = ropewalk.tensor([8], x, "float16");
  expect(tensor.data.slice()).toEqual(values);
  expect(() => ropewalk.tensor([8], x, "bfloat16")).toThrow("the patterns of bfloat16");
  expect(rope.rotate(x, { ...sizes, out: x })).toBe(x);
  expect(new Uint16Array(x.buffer)).toEqual(expected);
});
