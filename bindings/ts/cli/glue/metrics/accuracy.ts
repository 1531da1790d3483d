/** Share of the lines whose class is right; 0 without lines. */
export function accuracy(expected: readonly number[], found: readonly number[]): number {
  const right = expected.filter((label, i) => label === found[i]).length;
  return expected.length === 0 ? 0 : right / expected.length;
}
