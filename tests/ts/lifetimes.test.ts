import { setTimeout as wait } from "node:timers/promises";
import { load } from "ropewalk";
import { expect, it } from "vitest";
import { expectSameMemory } from "./memory.js";

const ropewalk = await load();
const collectGarbage = (globalThis as { gc?: () => void }).gc!;
const x = new Float32Array(8).fill(1);

it("a disposed object says so; disposing again is fine", () => {
  const rope = ropewalk.rope({ headDim: 4 });
  const tensor = ropewalk.tensor([8], x);
  const other = ropewalk.tensor([8], x);
  tensor.dispose();
  tensor.dispose();
  const sizes = { sequence: 2, heads: 1 };
  expect(() => tensor.data).toThrow("data: this tensor has been disposed");
  expect(() => rope.rotate(tensor, sizes)).toThrow("rotate: this tensor has been disposed");
  expect(() => rope.rotate(other, { ...sizes, out: tensor })).toThrow("rotate: this tensor has been disposed");
  rope.rotate(other, sizes);
  rope[Symbol.dispose]();
  expect(() => rope.rotate(other, sizes)).toThrow("rotate: this rope has been disposed");
  expect(() => rope.rotateQK(x, x, sizes)).toThrow("rotateQK: this rope has been disposed");
  expect(() => rope.table([1])).toThrow("table: this rope has been disposed");
  expect(tensor.shape).toEqual([8]);
  other.dispose();
});

it("`using` disposes at the end of the block", () => {
  const before = ropewalk.stats();
  {
    using rope = ropewalk.rope({ headDim: 4 });
    using tensor = ropewalk.tensor([2, 1, 4]);
    rope.rotate(tensor, { sequence: 2, heads: 1 });
    expect(ropewalk.stats().handles).toBe(before.handles + 2);
    expect(ropewalk.stats().heapBytes).toBeGreaterThan(before.heapBytes);
  }
  expect(ropewalk.stats()).toEqual(before);
});

function useOnce(): { dispose(): void }[] {
  const rope = ropewalk.rope({ headDim: 64 });
  const tensor = ropewalk.tensor([16, 1, 64]);
  rope.rotate(tensor, { sequence: 16, heads: 1, positions: 3 });
  rope.rotate(new Float32Array(64), { sequence: 1, heads: 1, positions: [2] });
  return [rope, tensor];
}

it("ten thousand objects made and disposed leave the memory as it was", () => {
  for (const each of useOnce()) each.dispose();
  const before = ropewalk.stats();
  for (let i = 0; i < 10_000; i++) {
    for (const each of useOnce()) each.dispose();
  }
  expect(ropewalk.stats()).toEqual(before);
});

it("failed calls leave nothing behind", () => {
  const rope = ropewalk.rope({ headDim: 4 });
  const attempts: [call: () => unknown, words: string][] = [
    [() => ropewalk.rope({ headDim: 3 }), "`headDim` is 3"],
    [() => rope.rotate(x, { sequence: 9, heads: 1, positions: [1, 2] }), "rotate: `x`"],
    [() => rope.rotate(x, { sequence: 2, heads: 1, positions: [1, Number.NaN] }), "`positions[1]` is NaN"],
    [() => ropewalk.tensor([2 ** 16, 2 ** 15]), "tensor: no memory"],
    [() => rope.table([Number.NaN]), "`positions[0]` is NaN"],
  ];
  for (const [attempt, words] of attempts) expect(attempt).toThrow(words);
  const before = ropewalk.stats();
  for (let i = 0; i < 1000; i++) for (const [attempt, words] of attempts) expect(attempt).toThrow(words);
  expectSameMemory(ropewalk.stats(), before);
  rope.dispose();
});

it("ten thousand objects made and forgotten end on a plateau", async () => {
  const peaks: number[] = [];
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 1000; i++) useOnce();
    // Finalizers run when the loop of events comes round.
    for (let turn = 0; turn < 20 && ropewalk.stats().handles > 20; turn++) {
      collectGarbage();
      await wait(5);
    }
    peaks.push(ropewalk.stats().heapBytes);
    expect(ropewalk.stats().handles).toBeLessThan(50);
  }
  expect(peaks.at(-1)!).toBeLessThanOrEqual(peaks[1]! + 100_000);
});
