/**
 * Matthews' correlation of expected and found classes, for any number of them (Gorodkin 2004): their covariance as
 * indicator vectors over the root of the product of the variances. 0 where either is always the same class, as
 * scikit-learn has it.
 */
export function matthews(expected: readonly number[], found: readonly number[]): number {
  const lines = expected.length;
  const classes = [...new Set([...expected, ...found])];
  const times = (labels: readonly number[], each: number) => labels.filter((label) => label === each).length;
  const sum = (of: (each: number) => number) => classes.reduce((total, each) => total + of(each), 0);
  const right = expected.filter((label, i) => label === found[i]).length;
  const covariance = right * lines - sum((each) => times(expected, each) * times(found, each));
  const variance = (labels: readonly number[]) => lines ** 2 - sum((each) => times(labels, each) ** 2);
  const scale = Math.sqrt(variance(expected) * variance(found));
  return scale === 0 ? 0 : covariance / scale;
}
