// Numbers and tables as the report writes them.
import { table as markdownTable } from "../../markdown.mjs";
import { middle } from "../summary.mjs";

export const hundredfold = (value) => (100 * value).toFixed(1);
export const percent = (value) => `${hundredfold(value)} %`;
export const nats = (value) => value.toFixed(value < 0.0995 ? 3 : 2);
const range = (low, high, write) => (write(low) === write(high) ? "" : ` (${write(low)} to ${write(high)})`);

/** [median, least, most] */
export const bandText = ([middle, least, most], write) => `${write(middle)}${range(least, most, write)}`;
export const accuracyText = (band) => bandText(band, hundredfold);

/** One score of each seed: median (least to most). */
export function scoreText(scores, write) {
  return bandText([middle(scores), Math.min(...scores), Math.max(...scores)], write);
}

/** [[id, panel]] of all experiments. */
export const allPanels = ({ experiments }) =>
  Object.values(experiments).flatMap((experiment) => Object.entries(experiment));

/** The number of pairs of runs with the same seed in which an arm ended with a lower validation loss than another. */
export const lowerCount = (arm, other) => arm.losses.filter((loss, seed) => loss < other.losses[seed]).length;
/** "3 of 5" */
export const lowerIn = (arm, other) => `${lowerCount(arm, other)} of ${arm.losses.length}`;

/** Median steps to convergence, a run that did not converge counting as longer than any. */
export function convergence(arm) {
  const sorted = arm.converged.map((step) => step ?? Number.POSITIVE_INFINITY).toSorted((a, b) => a - b);
  const median = sorted[(sorted.length - 1) >> 1];
  const count = sorted.filter(Number.isFinite).length;
  return { median, least: sorted[0], most: sorted.at(-1), count, of: sorted.length };
}

export function convergenceText(arm) {
  const { median, least, most, count, of } = convergence(arm);
  const ofAll = `${count} of ${of}`;
  if (count === 0) return ofAll;
  const text = (steps) => (Number.isFinite(steps) ? steps : `over ${Math.max(...arm.steps)}`);
  return `${ofAll}: **${text(median)}** (${least} to ${text(most)})`;
}

/** Headings of the columns of `armRows` behind the arm's name. */
export const ARM_HEAD = ["converged: steps", "validation loss", "accuracy, %", "accuracy at 2x, %"];

/** A row for each arm of a panel; without `converges` nothing is said of that. */
export const armRows = (panel, name, converges = true) =>
  Object.values(panel.arms).map((arm) => [
    `${name}, ${arm.label}`,
    converges ? convergenceText(arm) : "",
    bandText(arm.loss, nats),
    accuracyText(arm.accuracy),
    accuracyText(arm.tests["2x"].accuracy),
  ]);

export const table = (head, rows) => markdownTable(head, rows, "lr");

export const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export const image = (name, text) => `![${text}](results/${name}.svg)`;
