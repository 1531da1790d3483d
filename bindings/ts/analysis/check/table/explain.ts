/**
 * From a table of frequencies back to the rule that made it. theta_j is compared through its logarithm, so that a
 * residual is a relative error. Candidates come in the order of their number of parameters; the first that explains
 * the table within its precision is taken, otherwise the one that is nearest.
 */
import { inverse } from "../rules.js";
import { fitLine, minimise } from "./least-squares.js";

export interface Explained {
  rule: string;
  base: number;
  options: Record<string, unknown>;
  /** Largest relative error of a frequency. */
  error: number;
}

/** Largest relative difference; a zero is like a zero alone. */
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

const indices = (count: number, first = 0): number[] => Array.from({ length: count }, (_, j) => j + first);
const errorOf = (theta: readonly number[], model: readonly number[]) => relativeError(theta, model);
const logResiduals = (theta: readonly number[], model: readonly number[]) =>
  model.map((each, j) => Math.log(each / theta[j]!));

/** theta_j = base^(-j/n) / factor */
function line(theta: readonly number[], n: number, tolerance: number): Explained[] {
  const [x, y] = [indices(theta.length), theta.map(Math.log)];
  const through = Math.exp(-fitLine(x, y, true).slope * n);
  const plain = {
    rule: "default",
    base: through,
    options: {},
    error: errorOf(theta, inverse(through, 2 * n).slice(0, theta.length)),
  };
  if (plain.error <= tolerance) return [plain];
  const { intercept, slope } = fitLine(x, y);
  const [base, factor] = [Math.exp(-slope * n), Math.exp(-intercept)];
  const model = inverse(base, 2 * n)
    .slice(0, theta.length)
    .map((each) => each / factor);
  return [plain, { rule: "linear", base, options: { factor }, error: errorOf(theta, model) }];
}

/**
 * GTE's mixed form: theta_j = base^(-j/n) / exp(a (j+1)^b), a = ln(factor) / n^b. A table of few digits leaves b open
 * within some percent; then a round exponent, as people write them, is preferred.
 */
function mixed(theta: readonly number[], n: number, tolerance: number): Explained[] {
  const model = ([logBase, logFactor]: readonly number[], b: number) =>
    theta.map((_, j) => Math.exp((-j / n) * logBase! - logFactor! * ((j + 1) / n) ** b));
  const at = (p: readonly number[], b: number): Explained[] => {
    const options = { factor: Math.exp(p[1]!), mixed_b: b };
    if (!(options.factor > 1 && b > 0)) return [];
    return [{ rule: "ntk-mixed", base: Math.exp(p[0]!), options, error: errorOf(theta, model(p, b)) }];
  };
  const logBase = -Math.log(theta[theta.length - 1]! / theta[0]!) / ((theta.length - 1) / n);
  const found = [0.3, 0.6, 1.5].flatMap((b) => {
    const p = minimise([logBase, 1, b], (each) => logResiduals(theta, model(each, each[2]!)));
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

interface Bend {
  logBase: number;
  /** Last pair that is kept, first pair that is divided. */
  kept: number;
  divided: number;
  factor: number;
}

/** Where a table that begins and ends as two parallel lines leaves the first and reaches the second. */
function bends(theta: readonly number[], n: number, tolerance: number): Bend[] {
  const y = theta.map(Math.log);
  const found: Bend[] = [];
  for (let kept = 1; kept < theta.length - 2; kept++) {
    const slope = fitLine(indices(kept + 1), y.slice(0, kept + 1), true).slope;
    const off = indices(kept + 1).some((j) => Math.abs(y[j]! - slope * j) > tolerance);
    if (off) break;
    const shift = (j: number) => y[j]! - slope * j;
    const last = shift(theta.length - 1);
    let divided = theta.length - 1;
    while (divided > kept + 1 && Math.abs(shift(divided - 1) - last) <= 4 * tolerance) divided--;
    if (last < -4 * tolerance) found.push({ logBase: -slope * n, kept, divided, factor: Math.exp(-last) });
  }
  return found.reverse().slice(0, 4);
}

/** Share of theta_j that is kept, from 1 to 0, along a ramp in the pair (YaRN) or in the frequency (Llama 3). */
type Share = (j: number, unscaled: number, from: number, to: number) => number;
const clamp = (value: number) => Math.min(Math.max(value, 0), 1);
const shares: Readonly<Record<"yarn" | "llama3", Share>> = {
  yarn: (j, _, low, high) => 1 - clamp((j - low) / (high - low)),
  llama3: (_, unscaled, logFast, logSlow) => {
    const [fast, slow] = [Math.exp(logFast), Math.exp(logSlow)];
    return clamp((unscaled - slow) / (fast - slow));
  },
};

function ramp(rule: "yarn" | "llama3", theta: readonly number[], n: number, tolerance: number): Explained[] {
  const share = shares[rule];
  const model = ([logBase, logFactor, from, to]: readonly number[]) => {
    const factor = Math.exp(logFactor!);
    return theta.map((_, j) => {
      const unscaled = Math.exp((-j / n) * logBase!);
      const kept = share(j, unscaled, from!, to!);
      return ((1 - kept) * unscaled) / factor + kept * unscaled;
    });
  };
  const found: Explained[] = [];
  for (const bend of bends(theta, n, tolerance)) {
    const at = (j: number) => (rule === "yarn" ? j : (-j / n) * bend.logBase);
    const start = [bend.logBase, Math.log(bend.factor), at(bend.kept), at(bend.divided)];
    const p = minimise(start, (each) => logResiduals(theta, model(each)));
    const factor = Math.exp(p[1]!);
    const [from, to] = [p[2]!, p[3]!];
    const options =
      rule === "yarn"
        ? { factor, ...rounded(from, to) }
        : { factor, shortWavelength: 2 * Math.PI * Math.exp(-from), longWavelength: 2 * Math.PI * Math.exp(-to) };
    found.push({ rule, base: Math.exp(p[0]!), options, error: errorOf(theta, model(p)) });
  }
  return found;
}

/** The bounds of YaRN's ramp are whole pairs unless it was told not to round them. */
function rounded(low: number, high: number): { low: number; high: number } {
  const near = (value: number) => Math.abs(value - Math.round(value)) < 1e-3;
  return near(low) && near(high) ? { low: Math.round(low), high: Math.round(high) } : { low, high };
}

/** theta*_j = alpha 10000^(-rho) + (1 - alpha) base^(-j/n) */
function receptiveField(theta: readonly number[], n: number): Explained[] {
  const model = ([logBase, own, shared]: readonly number[]) =>
    theta.map((_, j) => shared! + own! * Math.exp((-j / n) * logBase!));
  const last = theta[theta.length - 1]!;
  const found: Explained[] = [];
  for (const logBase of [Math.log(1e4), Math.log(5e5), Math.log(100)]) {
    const start = [logBase, theta[0]! - last, Math.max(last - Math.exp(-logBase), last / 2)];
    const p = minimise(start, (each) => logResiduals(theta, model(each)));
    const [own, shared] = [p[1]!, p[2]!];
    const alpha = 1 - own;
    if (!(alpha > 1e-9 && alpha < 1 && shared > 0)) continue;
    const options = { alpha, rho: -Math.log(shared / alpha) / Math.log(1e4) };
    found.push({ rule: "receptive-field", base: Math.exp(p[0]!), options, error: errorOf(theta, model(p)) });
  }
  return found;
}

/**
 * The rule that explains the table best; undefined for fewer than 2 pairs that move, or where one is not positive.
 *
 * @param theta theta_j of pairs 0 to n-1; zeros may stand at the end ("proportional")
 * @param tolerance relative error within which a rule explains the table
 */
export function explainTable(theta: readonly number[], tolerance: number): Explained | undefined {
  const n = theta.length;
  let moving = n;
  while (moving > 0 && theta[moving - 1] === 0) moving--;
  const head = theta.slice(0, moving);
  if (head.length < 2 || !head.every((each) => each > 0 && Number.isFinite(each))) return undefined;
  if (moving < n) {
    const { rule: _, ...found } = line(head, n, tolerance).sort((a, b) => a.error - b.error)[0]!;
    const { factor = 1 } = found.options as { factor?: number };
    return { ...found, rule: "proportional", options: { factor, partial_rotary_factor: moving / n } };
  }
  const candidates: (() => Explained[])[] = [() => line(head, n, tolerance)];
  if (n >= 6) {
    candidates.push(() => [...ramp("yarn", head, n, tolerance), ...ramp("llama3", head, n, tolerance)]);
    candidates.push(() => mixed(head, n, tolerance));
    candidates.push(() => receptiveField(head, n));
  }
  let best: Explained | undefined;
  for (const candidate of candidates) {
    for (const found of candidate()) {
      const sound = Number.isFinite(found.error) && Number.isFinite(found.base) && found.base > 1;
      if (sound && (best === undefined || found.error < best.error)) best = found;
    }
    if (best !== undefined && best.error <= tolerance) return best;
  }
  return best;
}
