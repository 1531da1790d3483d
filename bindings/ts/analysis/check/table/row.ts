/** A row of cos and sin at a position: back to theta_j and the magnitude. */
import { relativeError } from "./explained.js";
import type { Table } from "./judge.js";

const TURN = 2 * Math.PI;

/** The angle phi + 2 pi k nearest to `expected`. */
const unwrap = (phi: number, expected: number): number => phi + TURN * Math.round((expected - phi) / TURN);

/**
 * Angles within one turn leave theta open by multiples of 2 pi / position. The slow pairs have not completed a turn;
 * each faster pair is taken to continue their geometric progression.
 */
function unwrapped(phi: readonly number[], position: number): number[] {
  const theta = new Array<number>(phi.length);
  for (let j = phi.length - 1; j >= 0; j--) {
    const [next, after] = [theta[j + 1], theta[j + 2]];
    const known = next !== undefined && after !== undefined && next > 0 && after > 0;
    const angle = known ? unwrap(phi[j]!, ((next * next) / after) * position) : phi[j]!;
    theta[j] = angle / position;
  }
  return theta;
}

export interface Row {
  cos: readonly number[];
  sin: readonly number[];
  position: number;
}

/** @param expected theta_j of readings, the first of which that fits says how many turns each angle has */
export function tableOfRow({ cos, sin, position }: Row, expected: readonly ArrayLike<number>[]): Table {
  const lengths = cos.map((each, j) => Math.hypot(each, sin[j]!));
  const magnitude = lengths.reduce((sum, each) => sum + each, 0) / lengths.length;
  const phi = cos.map((each, j) => Math.atan2(sin[j]!, each));
  // Angles of float32 cos and sin; near a multiple of pi / 2 one of the two keeps the accuracy.
  const precision = { name: undefined, tolerance: 2e-6 * Math.max(1, Math.abs(position)) };
  for (const theta of expected) {
    if (theta.length !== phi.length) continue;
    const turned = phi.map((each, j) => unwrap(each, theta[j]! * position) / position);
    if (relativeError(turned, theta) <= precision.tolerance) return { theta: turned, precision, magnitude };
  }
  return { theta: unwrapped(phi, position), precision, magnitude };
}
