import { at, type Paper, text } from "./paper.js";

/** Llama 3.1: the length of its first training, and how much longer the rope is made. */
export const TRAINED = 8192;
export const FACTOR = 8;
const LENGTH = TRAINED * FACTOR;
/** One pair in this many is drawn, of 64. */
const EVERY = 4;
/** Finer waves than this many on the rope are one band. */
const MOST_TURNS = 40;

/** Where a strand shows angles that training never showed: behind this position, or Infinity. */
export function newFrom(plain: number, now: number): number {
  if (plain * TRAINED >= 2 * Math.PI) return Number.POSITIVE_INFINITY;
  const first = (plain * TRAINED) / now;
  return first < LENGTH * (1 - 1e-9) ? first : Number.POSITIVE_INFINITY;
}

/**
 * Scene 6: strands of Llama 3.1, fast ones first; `thetas` as a repair changes them, `plain` as trained. `red` from 0 to 1: how
 * much is seen of the mark on new angles.
 */
export function drawLong(paper: Paper, plain: readonly number[], thetas: readonly number[], red: number): string {
  const { width, height, narrow } = paper;
  const [left, right, top, bottom] = narrow ? [10, 36, 30, 22] : [10, 52, 34, 26];
  const x = (position: number) => left + (position / LENGTH) * (width - left - right);
  const shown = plain.flatMap((_, j) => (j % EVERY === EVERY - 1 ? [j] : []));
  const row = (height - top - bottom) / shown.length;
  const tall = row * 0.34;
  const part = (theta: number, y: number, from: number, to: number, kind: string) => {
    if (!(to > from)) return "";
    if ((theta * LENGTH) / (2 * Math.PI) > MOST_TURNS)
      return `<rect class="band" x="${at(x(from))}" y="${at(y - tall)}" width="${at(x(to) - x(from))}" height="${at(2 * tall)}"/>`;
    const count = Math.max(2, Math.ceil((theta * (to - from)) / 0.4));
    const points = Array.from({ length: count + 1 }, (_, i) => {
      const position = from + ((to - from) * i) / count;
      return `${at(x(position))} ${at(y - tall * Math.sin(theta * position))}`;
    });
    return `<path class="row ${kind}" d="M${points.join("L")}"/>`;
  };
  const dense = shown.filter((j) => (thetas[j]! * LENGTH) / (2 * Math.PI) > MOST_TURNS).length;
  const note = top + (row * dense) / 2;
  const rows = shown.map((j, i) => {
    const y = top + row * (i + 0.5);
    const [was, now] = [plain[j]!, thetas[j]!];
    const first = Math.min(newFrom(was, now), LENGTH);
    const slower = was / now;
    const label = slower > 1.005 ? text(width - 4, y + 4, `÷ ${Number(slower.toPrecision(2))}`, "small end") : "";
    return (
      part(now, y, 0, LENGTH, "") +
      (red ? `<g opacity="${at(red)}">${part(now, y, first, LENGTH, "new")}</g>` : "") +
      label
    );
  });
  const end = height - bottom;
  return (
    rows.join("") +
    `<rect class="tag" x="${at(width / 2 - 92)}" y="${at(note - 11)}" width="184" height="22" rx="4"/>` +
    text(width / 2, note + 4, "waves too dense to draw", "small") +
    `<path class="span" d="M${at(x(TRAINED))} ${top - 8}V${end}"/>` +
    text(x(TRAINED) + 4, top - 12, narrow ? "trained up to 8192" : "trained up to position 8192", "small begin") +
    text(left, end + 16, "0", "small begin") +
    text(x(LENGTH), end + 16, "65 536", "small end")
  );
}
