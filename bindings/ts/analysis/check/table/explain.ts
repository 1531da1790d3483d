/**
 * From a table of frequencies back to the rule that made it. theta_j is compared through its logarithm, so that a
 * residual is a relative error. Candidates come in the order of their number of parameters; the first that explains
 * the table within its precision is taken, otherwise the one that is nearest.
 */
import { inverse } from "../rules.js";
import { mixed, receptiveField } from "./curves.js";
import { type Explained, indices, relativeError } from "./explained.js";
import { fitLine } from "./least-squares.js";
import type { TablePrecision } from "./precision.js";
import { ramps } from "./ramp.js";

/** theta_j = base^(-j/n) / factor */
function line(theta: readonly number[], n: number, tolerance: number): Explained[] {
  const [x, y] = [indices(theta.length), theta.map(Math.log)];
  const through = Math.exp(-fitLine(x, y, true).slope * n);
  const plain = {
    rule: "default",
    base: through,
    options: {},
    error: relativeError(theta, inverse(through, 2 * n).slice(0, theta.length)),
  };
  if (plain.error <= tolerance) return [plain];
  const { intercept, slope } = fitLine(x, y);
  const [base, factor] = [Math.exp(-slope * n), Math.exp(-intercept)];
  const model = inverse(base, 2 * n)
    .slice(0, theta.length)
    .map((each) => each / factor);
  return [plain, { rule: "linear", base, options: { factor }, error: relativeError(theta, model) }];
}

function explainWithin(theta: readonly number[], tolerance: number): Explained | undefined {
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
    candidates.push(() => ramps(head, tolerance));
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

/**
 * The rule that explains the table best; undefined for fewer than 2 pairs that move, or where one is not positive.
 *
 * @param theta theta_j of pairs 0 to n-1; zeros may stand at the end ("proportional")
 */
export function explainTable(theta: readonly number[], { float64, tolerance }: TablePrecision): Explained | undefined {
  const exact = float64 === undefined ? undefined : explainWithin(theta, float64);
  if (exact !== undefined && exact.error <= float64!) return exact;
  return explainWithin(theta, tolerance);
}
