/** Pearson's correlation; 0 where either side does not vary. */
export function pearson(expected: readonly number[], found: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(expected), mean(found)];
  let [both, squaresX, squaresY] = [0, 0, 0];
  expected.forEach((value, i) => {
    const [dx, dy] = [value - x, found[i]! - y];
    both += dx * dy;
    squaresX += dx * dx;
    squaresY += dy * dy;
  });
  const scale = Math.sqrt(squaresX) * Math.sqrt(squaresY);
  return scale === 0 ? 0 : Math.max(-1, Math.min(1, both / scale));
}
