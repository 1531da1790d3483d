import { load, type Tensor } from "ropewalk";
import { expect, it } from "vitest";
import { expectSameMemory } from "./memory.js";

const ropewalk = await load();

it("everything survives growth of the module's memory between calls", () => {
  using rope = ropewalk.rope({ headDim: 8 });
  const x = Float32Array.from({ length: 32 }, (_, i) => i);
  const sizes = { sequence: 4, heads: 1, positions: 11 };
  const expected = rope.rotate(x, sizes);
  using kept = ropewalk.tensor([4, 1, 8], x);
  const large: Tensor[] = [];
  for (let megabytes = 1; megabytes <= 64; megabytes *= 2) {
    const view = kept.data;
    large.push(ropewalk.tensor([megabytes << 18]));
    // The memory has grown and detached the old view, if it had to; a new one is good either way.
    expect(view.length === 0 || view.length === 32).toBe(true);
    expect(kept.data.slice()).toEqual(x);
    expect(rope.rotate(x, sizes)).toEqual(expected);
    expect(rope.rotate(kept, sizes).data.slice()).toEqual(expected);
    rope.unrotate(kept, sizes);
    kept.data.set(x);
  }
  expect(large.at(-1)!.data.every((value) => value === 0)).toBe(true);
  for (const each of large) each.dispose();
});

it("memory that cannot be had is an error, and the memory there is stays usable", () => {
  const before = ropewalk.stats();
  const taken: Tensor[] = [];
  expect(() => {
    for (;;) taken.push(ropewalk.tensor([1 << 26]));
  }).toThrow(/^tensor: no memory for a tensor of shape \[67108864\], 268435456 bytes/);
  expect(taken.length).toBeGreaterThan(0);
  for (const each of taken) each.dispose();
  using rope = ropewalk.rope({ headDim: 2 });
  expect(rope.rotate(Float32Array.of(1, 0), { sequence: 1, heads: 1 })).toEqual(Float32Array.of(1, 0));
  rope.dispose();
  expectSameMemory(ropewalk.stats(), before);
});
