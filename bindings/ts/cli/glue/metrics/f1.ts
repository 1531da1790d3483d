/**
 * 2 TP / (2 TP + FP + FN) of class 1, the harmonic mean of precision and recall. 0 where class 1 is neither expected
 * nor found, as scikit-learn has it.
 */
export function f1(expected: readonly number[], found: readonly number[]): number {
  const count = (label: number, guess: number) =>
    expected.filter((each, i) => each === label && found[i] === guess).length;
  const both = count(1, 1);
  const wrong = expected.filter((label, i) => label !== found[i] && (label === 1 || found[i] === 1)).length;
  return both + wrong === 0 ? 0 : (2 * both) / (2 * both + wrong);
}
