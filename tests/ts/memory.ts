import { expect } from "vitest";

export interface Stats {
  handles: number;
  heapBytes: number;
}

/**
 * The same handles, and the same bytes up to what aligned allocations leave with their neighbours: emmalloc gives the
 * few bytes before an aligned block to the block in front of it.
 */
export function expectSameMemory(now: Stats, before: Stats): void {
  expect(now.handles).toBe(before.handles);
  expect(Math.abs(now.heapBytes - before.heapBytes)).toBeLessThan(1024);
}
