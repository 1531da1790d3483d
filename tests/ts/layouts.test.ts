import { load } from "ropewalk";
import { expect, it } from "vitest";

const ropewalk = await load();
const [B, S, H, D] = [2, 5, 3, 10] as const;
const x = Float32Array.from({ length: B * S * H * D }, (_, i) => Math.sin(i * 1.7) * 3);

/** [B, S, H, D] to [B, H, S, D]. */
function headsFirst(array: Float32Array): Float32Array {
  const out = new Float32Array(array.length);
  for (let b = 0; b < B; b++) {
    for (let s = 0; s < S; s++) {
      for (let h = 0; h < H; h++) {
        const from = ((b * S + s) * H + h) * D;
        out.set(array.subarray(from, from + D), ((b * H + h) * S + s) * D);
      }
    }
  }
  return out;
}

it.each(["interleaved", "half"] as const)("every layout gives the same bits (%s)", (pairing) => {
  using rope = ropewalk.rope({ headDim: D, rotaryDim: 6, rotaryOffset: 2, pairing });
  const positions = Array.from({ length: B * S }, (_, i) => i * 31.5 - 7);
  const sizes = { batch: B, sequence: S, heads: H, positions };
  const expected = rope.rotate(x, sizes);
  expect(rope.rotate(x, { ...sizes, layout: "bshd" })).toEqual(expected);
  expect(rope.rotate(headsFirst(x), { ...sizes, layout: "bhsd" })).toEqual(headsFirst(expected));

  const byStrides = { ...sizes, strides: { batch: S * H * D, sequence: H * D, head: D } };
  expect(rope.rotate(x, byStrides)).toEqual(expected);

  // Rows with 4 elements between them that belong to somebody else.
  const wide = new Float32Array(B * S * (H * D + 4)).fill(9);
  for (let row = 0; row < B * S; row++) wide.set(x.subarray(row * H * D, (row + 1) * H * D), row * (H * D + 4));
  const strides = { batch: S * (H * D + 4), sequence: H * D + 4, head: D };
  const rotated = rope.rotate(wide, { ...sizes, strides });
  for (let row = 0; row < B * S; row++) {
    const at = row * (H * D + 4);
    expect(rotated.subarray(at, at + H * D)).toEqual(expected.subarray(row * H * D, (row + 1) * H * D));
    expect([...rotated.subarray(at + H * D, at + H * D + 4)]).toEqual([9, 9, 9, 9]);
  }
});

it("q and k may each have strides", () => {
  using rope = ropewalk.rope({ headDim: D });
  const q = x.subarray(0, S * H * D);
  const k = x.subarray(0, S * D);
  const strides = { batch: S * H * D, sequence: H * D, head: D };
  const keyStrides = { batch: S * D, sequence: D, head: D };
  const plain = rope.rotateQK(q, k, { sequence: S, heads: H, kvHeads: 1 });
  expect(rope.rotateQK(q, k, { sequence: S, heads: H, kvHeads: 1, strides, keyStrides })).toEqual(plain);
});
