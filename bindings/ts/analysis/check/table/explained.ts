/** A rule that explains a table of frequencies, and its error. */

export interface Explained {
  rule: string;
  base: number;
  options: Record<string, unknown>;
  /** Largest relative error of a frequency. */
  error: number;
}

/** Largest relative difference of two tables. Zero equals nothing but zero. */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let error = 0;
  for (let j = 0; j < a.length; j++) {
    const [x, y] = [a[j]!, b[j]!];
    if (x === y) continue;
    error = Math.max(error, Math.abs(x - y) / Math.max(Math.abs(x), Math.abs(y)));
  }
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

/** first, first + 1, ... */
export const indices = (count: number, first = 0): number[] => Array.from({ length: count }, (_, j) => j + first);

/** Residuals that are relative errors as long as they are small. */
export const logResiduals = (theta: readonly number[], model: readonly number[]): number[] =>
  model.map((each, j) => Math.log(each / theta[j]!));
