/** The rules whose logarithm is neither a line nor a ramp, from a table. */
import { type Explained, logResiduals, relativeError } from "./explained.js";
import { minimise } from "./least-squares.js";

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, each, i) => sum + each * b[i]!, 0);

/** x and y for which x p + y q is nearest to z, and the square of the distance. p and q are not parallel. */
function twoColumns(p: readonly number[], q: readonly number[], z: readonly number[]) {
  const along = dot(p, q) / dot(p, p);
  const across = q.map((each, i) => each - along * p[i]!);
  const y = dot(across, z) / dot(across, across);
  const x = dot(p, z) / dot(p, p) - y * along;
  const rest = z.map((each, i) => each - x * p[i]! - y * q[i]!);
  return { x, y, cost: dot(rest, rest) };
}

/** Exponents that are tried first; the fit moves on from the best of them. */
const EXPONENTS = Array.from({ length: 60 }, (_, i) => 0.05 * 1.1 ** i);

/** The minimum of a function that has one between two numbers, by golden sections. */
function lowest(f: (x: number) => number, from: number, to: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [from, to];
  for (let step = 0; step < 60; step++) {
    const [left, right] = [b - golden * (b - a), a + golden * (b - a)];
    if (f(left) < f(right)) b = right;
    else a = left;
  }
  return (a + b) / 2;
}

/**
 * GTE's mixed form: theta_j = base^(-j/n) / exp(a (j+1)^b), a = ln(factor) / n^b. For a given b the logarithm is linear
 * in ln(base) and ln(factor). A table of few digits leaves b open within some percent; then a round exponent, as people
 * write them, is preferred.
 */
export function mixed(theta: readonly number[], n: number, tolerance: number): Explained[] {
  const column = theta.map((_, j) => -j / n);
  const power = (b: number) => theta.map((_, j) => -(((j + 1) / n) ** b));
  const logs = theta.map(Math.log);
  const model = ([logBase, logFactor]: readonly number[], b: number) =>
    power(b).map((each, j) => Math.exp(column[j]! * logBase! + each * logFactor!));
  const at = (p: readonly number[], b: number): Explained[] => {
    const options = { factor: Math.exp(p[1]!), mixed_b: b };
    if (!(options.factor > 1 && b > 0)) return [];
    return [{ rule: "ntk-mixed", base: Math.exp(p[0]!), options, error: relativeError(theta, model(p, b)) }];
  };
  const projected = (b: number) => twoColumns(column, power(b), logs);
  const costs = EXPONENTS.map((b) => projected(b).cost);
  const found = EXPONENTS.flatMap((_, i) => {
    if (!(costs[i]! <= (costs[i - 1] ?? Infinity) && costs[i]! <= (costs[i + 1] ?? Infinity))) return [];
    const b = lowest((each) => projected(each).cost, EXPONENTS[Math.max(i - 1, 0)]!, EXPONENTS[i + 1] ?? EXPONENTS[i]!);
    const p = minimise([projected(b).x, projected(b).y, b], (each) => logResiduals(theta, model(each, each[2]!)));
    return at(p, p[2]!);
  });
  const best = found.sort((x, y) => x.error - y.error)[0];
  if (best === undefined || tolerance < 1e-4) return found;
  const round = Math.round((best.options.mixed_b as number) * 20) / 20;
  const p = minimise([Math.log(best.base), 1], (each) => logResiduals(theta, model(each, round)));
  return at(p, round)
    .filter(({ error }) => error <= tolerance)
    .concat(found)
    .slice(0, 1);
}

/** theta_j = alpha 10000^(-rho) + (1 - alpha) base^(-j/n): a geometric series with a number added to each. */
export function receptiveField(theta: readonly number[], n: number): Explained[] {
  const model = ([logBase, own, shared]: readonly number[]) =>
    theta.map((_, j) => shared! + own! * Math.exp((-j / n) * logBase!));
  // The number that is added cancels in differences of neighbours.
  const ratio = (theta[1]! - theta[2]!) / (theta[0]! - theta[1]!);
  const bases = [-n * Math.log(ratio), Math.log(1e4), Math.log(5e5), Math.log(100)];
  return bases
    .filter((logBase) => logBase > 0 && Number.isFinite(logBase))
    .flatMap((logBase) => {
      const series = theta.map((_, j) => Math.exp((-j / n) * logBase));
      const ones = theta.map(() => 1);
      const { x: own, y: shared } = twoColumns(series, ones, theta);
      const last = theta[theta.length - 1]!;
      const p = minimise([logBase, own, shared > 0 ? shared : last / 2], (each) => logResiduals(theta, model(each)));
      const alpha = 1 - p[1]!;
      if (!(alpha > 1e-9 && alpha < 1 && p[2]! > 0)) return [];
      const options = { alpha, rho: -Math.log(p[2]! / alpha) / Math.log(1e4) };
      return [{ rule: "receptive-field", base: Math.exp(p[0]!), options, error: relativeError(theta, model(p)) }];
    });
}
