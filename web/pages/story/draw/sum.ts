import { at, type Paper, text } from "./paper.js";

/** Distances from 0 to this are drawn. */
export const FARTHEST = 64;
/** The distance at which the fastest strand is back: seven turns of one radian per position. */
export const BACK = 44;

/** Scene 5: the cosines of the first strands by distance, and their mean. `scores` are the means at distances 0, step, ... */
export function drawSum(paper: Paper, thetas: readonly number[], count: number): string {
  const { width, height } = paper;
  const [left, right, top, bottom] = [34, 12, 24, 48];
  const x = (distance: number) => left + (distance / FARTHEST) * (width - left - right);
  const y = (score: number) => top + ((1 - score) / 2) * (height - top - bottom);
  // The last strand enters little by little while the number of them changes.
  const weights = thetas.map((_, j) => Math.min(1, Math.max(0, count - j)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = (distance: number) =>
    thetas.reduce((total, theta, j) => total + weights[j]! * Math.cos(theta * distance), 0) / sum;
  const curve = (score: (distance: number) => number, step: number) =>
    Array.from({ length: FARTHEST / step + 1 }, (_, i) => `${at(x(i * step))} ${at(y(score(i * step)))}`).join("L");
  const single = thetas
    .filter((_, j) => weights[j]! > 0)
    .map(
      (theta) =>
        `<path class="thin" d="M${curve((distance) => Math.cos(theta * distance), theta > 0.2 ? 0.125 : 0.5)}"/>`,
    );
  const lines = [1, 0, -1].map(
    (score) =>
      `<path class="axis" d="M${left} ${at(y(score))}H${width - right}"/>` +
      text(left - 6, y(score) + 4, score < 0 ? `−${-score}` : String(score), "small end"),
  );
  const numbers = [0, 20, 40, 60].map((distance) => text(x(distance), height - bottom + 16, String(distance), "small"));
  return (
    lines.join("") +
    numbers.join("") +
    text((left + width - right) / 2, height - 12, "positions between query and key", "small") +
    text(left - 22, 12, "score", "small begin") +
    (sum > 1 ? single.join("") : "") +
    `<path class="strand" d="M${curve(mean, 0.125)}"/>` +
    `<path class="span" d="M${at(x(BACK))} ${top}V${height - bottom}"/>` +
    `<circle class="tip" cx="${at(x(BACK))}" cy="${at(y(mean(BACK)))}" r="5"/>` +
    text(x(BACK), height - bottom + 16, String(BACK), "small strong")
  );
}
