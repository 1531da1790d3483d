/**
 * YaRN and Llama 3 from a table. Both keep the first pairs, divide the last ones by a factor, and blend those between:
 *
 *   theta_j = base^(-j/n) (share_j + (1 - share_j) / factor)
 *
 * The share falls from 1 to 0 along a straight line: in the pair j for YaRN, in the unscaled frequency for Llama 3.
 */
import { type Explained, indices, logResiduals, relativeError } from "./explained.js";
import { fitLine, minimise } from "./least-squares.js";

type RampRule = "yarn" | "llama3";

/** A table beside its unscaled frequencies, and the pairs that belong to each part. */
interface Split {
  /** ln(base) / n */
  decay: number;
  /** 1 / factor */
  last: number;
  /** Pairs before this one are kept. */
  kept: number;
  /** Pairs from this one on are divided. */
  divided: number;
}

const clamp = (value: number) => Math.min(Math.max(value, 0), 1);
/** The coordinate in which the share is linear. */
const along = (rule: RampRule, j: number, decay: number) => (rule === "yarn" ? j : Math.exp(-j * decay));

function model(rule: RampRule, n: number, decay: number, last: number, from: number, to: number): number[] {
  return indices(n).map((j) => {
    const share = 1 - clamp((along(rule, j, decay) - from) / (to - from));
    return Math.exp(-j * decay) * (share + (1 - share) * last);
  });
}

/** Candidates for ln(base) / n: lines through the first pairs, and lines parallel to them through the last ones. */
function decays(theta: readonly number[], tolerance: number): number[] {
  const n = theta.length;
  const y = theta.map(Math.log);
  const head: number[] = [];
  for (let end = 2; end < n; end++) {
    const { slope } = fitLine(indices(end), y.slice(0, end), true);
    if (indices(end).some((j) => Math.abs(y[j]! - slope * j) > tolerance)) break;
    head.push(-slope);
  }
  const tail: number[] = [];
  for (let begin = n - 3; begin > 0; begin--) {
    const [x, part] = [indices(n - begin, begin), y.slice(begin)];
    const { slope, intercept } = fitLine(x, part);
    if (x.some((j) => Math.abs(y[j]! - intercept - slope * j) > tolerance)) break;
    tail.push(-slope);
  }
  // The longest lines are the most exact, but may reach a little into the ramp.
  return [...head.slice(-4).reverse(), ...tail.slice(-4).reverse()];
}

function splitOf(theta: readonly number[], decay: number, tolerance: number): Split | undefined {
  const n = theta.length;
  const shift = theta.map((each, j) => Math.log(each) + j * decay);
  const lowest = shift[n - 1]!;
  const near = 4 * tolerance;
  if (!(lowest < -near)) return undefined;
  let kept = 0;
  while (kept < n && Math.abs(shift[kept]!) <= near) kept++;
  let divided = n - 1;
  while (divided > kept && Math.abs(shift[divided - 1]! - lowest) <= near) divided--;
  return kept === 0 ? undefined : { decay, last: Math.exp(lowest), kept, divided };
}

/**
 * The ends of the line of shares. One pair on it leaves them open: the widest line is taken that keeps the pair before
 * and divides the pair after. With no pair on it the line goes from one to the other.
 */
function boundsOf(rule: RampRule, theta: readonly number[], { decay, last, kept, divided }: Split): [number, number] {
  const ramp = indices(divided - kept, kept);
  const x = ramp.map((j) => along(rule, j, decay));
  const shares = ramp.map((j) => (theta[j]! * Math.exp(j * decay) - last) / (1 - last));
  const [before, after] = [along(rule, kept - 1, decay), along(rule, divided, decay)];
  if (ramp.length === 0) return [before, after];
  if (ramp.length === 1) {
    const [at, share] = [x[0]!, shares[0]!];
    const width =
      Math.min(Math.abs(before - at) / (1 - share), Math.abs(at - after) / share) * Math.sign(after - before);
    return [at - (1 - share) * width, at + share * width];
  }
  const { slope, intercept } = fitLine(x, shares);
  return [(1 - intercept) / slope, -intercept / slope];
}

/** YaRN rounds the bounds of its ramp to whole pairs unless it is told not to: two parameters less. */
function wholeYarn(theta: readonly number[], { decay, last, kept, divided }: Split): Explained {
  const n = theta.length;
  const [low, high] = [kept - 1, divided];
  const of = ([d, l]: readonly number[]) => model("yarn", n, d!, l!, low, high);
  const [d, l] = minimise([decay, last], (p) => logResiduals(theta, of(p))) as [number, number];
  const options = { factor: 1 / l, low, high };
  return { rule: "yarn", base: Math.exp(d * n), options, error: relativeError(theta, of([d, l])) };
}

function fitted(rule: RampRule, theta: readonly number[], split: Split): Explained[] {
  const n = theta.length;
  const of = ([d, l, from, to]: readonly number[]) => model(rule, n, d!, l!, from!, to!);
  const start = [split.decay, split.last, ...boundsOf(rule, theta, split)];
  const best = minimise(start, (p) => logResiduals(theta, of(p)));
  const [decay, last, from, to] = best as [number, number, number, number];
  const sound = rule === "yarn" ? from < to : 0 < to && to < from;
  if (!(last > 0 && last < 1 && sound)) return [];
  const factor = 1 / last;
  const options =
    rule === "yarn"
      ? { factor, low: from, high: to }
      : { factor, shortWavelength: (2 * Math.PI) / from, longWavelength: (2 * Math.PI) / to };
  return [{ rule, base: Math.exp(decay * n), options, error: relativeError(theta, of(best)) }];
}

/**
 * The ramp that explains the table best. Up to two pairs between the kept and the divided ones lie on a line of either
 * rule; then the first of these is named: YaRN with whole bounds, Llama 3, YaRN.
 */
export function ramps(theta: readonly number[], tolerance: number): Explained[] {
  const splits = decays(theta, tolerance).flatMap((decay) => splitOf(theta, decay, tolerance) ?? []);
  const whole = splits.map((split) => wholeYarn(theta, split)).find(({ error }) => error <= tolerance);
  if (whole !== undefined) return [whole];
  const found = (["llama3", "yarn"] as const).flatMap((rule) => splits.flatMap((split) => fitted(rule, theta, split)));
  // Differences far below the tolerance say nothing.
  const rank = ({ error }: Explained) => Math.max(error, tolerance / 8);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, 1);
}
