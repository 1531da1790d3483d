/** Least squares: a line, and Levenberg-Marquardt for the rules that are not lines. */

export interface Line {
  intercept: number;
  slope: number;
}

/** y = intercept + slope x; through the origin where `origin`. */
export function fitLine(x: readonly number[], y: readonly number[], origin = false): Line {
  let [count, sx, sy, sxx, sxy] = [0, 0, 0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    count += 1;
    sx += x[i]!;
    sy += y[i]!;
    sxx += x[i]! * x[i]!;
    sxy += x[i]! * y[i]!;
  }
  if (origin) return { intercept: 0, slope: sxy / sxx };
  const slope = (count * sxy - sx * sy) / (count * sxx - sx * sx);
  return { intercept: (sy - slope * sx) / count, slope };
}

/** Solves the small symmetric system by Gaussian elimination with pivoting; undefined where it is singular. */
function solve(matrix: number[][], right: number[]): number[] | undefined {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let i = column + 1; i < n; i++) {
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = i;
    }
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const top = rows[column]!;
    if (!(Math.abs(top[column]!) > 1e-300)) return undefined;
    for (let i = 0; i < n; i++) {
      if (i === column) continue;
      const times = rows[i]![column]! / top[column]!;
      for (let k = column; k <= n; k++) rows[i]![k]! -= times * top[k]!;
    }
  }
  return rows.map((row, i) => row[n]! / row[i]!);
}

const sumOfSquares = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);

/**
 * Parameters near `start` for which the residuals are smallest. Residuals that are not finite end a step.
 *
 * @param residuals one number for each observation, at given parameters
 */
export function minimise(start: readonly number[], residuals: (p: readonly number[]) => number[]): number[] {
  let best = [...start];
  let at = residuals(best);
  let cost = sumOfSquares(at);
  let damping = 1e-3;
  for (let step = 0; step < 100 && Number.isFinite(cost); step++) {
    const columns = best.map((value, i) => {
      const delta = 1e-6 * Math.max(Math.abs(value), 1e-3);
      const moved = best.map((each, k) => (k === i ? each + delta : each));
      return residuals(moved).map((value, j) => (value - at[j]!) / delta);
    });
    const gradient = columns.map((column) => -column.reduce((sum, each, j) => sum + each * at[j]!, 0));
    const normal = columns.map((a) => columns.map((b) => a.reduce((sum, each, j) => sum + each * b[j]!, 0)));
    const damped = normal.map((row, i) => row.map((each, k) => (i === k ? each * (1 + damping) + 1e-300 : each)));
    const move = solve(damped, gradient);
    if (move === undefined) break;
    const next = best.map((each, i) => each + move[i]!);
    const nextAt = residuals(next);
    const nextCost = sumOfSquares(nextAt);
    if (nextCost < cost) {
      const settled = cost - nextCost <= 1e-14 * cost;
      [best, at, cost] = [next, nextAt, nextCost];
      damping = Math.max(damping / 10, 1e-12);
      if (settled) break;
    } else {
      damping *= 10;
      if (damping > 1e12) break;
    }
  }
  return best;
}
