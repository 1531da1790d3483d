/** How far numbers are from those that they should be. A NaN among them is never near. */
import { expect } from "vitest";

/** The largest difference of the entries that count, and the same relative to the largest of the expected ones. */
export function differenceOf(
  actual: ArrayLike<number> | undefined,
  expected: ArrayLike<number>,
  counts: (i: number) => boolean = () => true,
): { absolute: number; relative: number } {
  expect(actual?.length).toBe(expected.length);
  let [absolute, largest] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    if (!counts(i)) continue;
    absolute = Math.max(absolute, Math.abs(actual![i]! - expected[i]!));
    largest = Math.max(largest, Math.abs(expected[i]!));
  }
  return { absolute, relative: absolute / largest };
}

export function expectNear(
  actual: ArrayLike<number> | undefined,
  expected: ArrayLike<number>,
  most: { absolute: number } | { relative: number },
): void {
  const { absolute, relative } = differenceOf(actual, expected);
  if ("absolute" in most) expect(absolute).toBeLessThanOrEqual(most.absolute);
  else expect(relative).toBeLessThanOrEqual(most.relative);
}
