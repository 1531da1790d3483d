/** From lines of a file to ids and labels. */
import type { Encoded, Encoder } from "../../index.js";
import { FileError } from "../files.js";
import { lineError, type Row } from "./tsv.js";

export interface Example {
  ids: number[];
  types: number[];
  /** The number of the class, or the score. */
  label: number;
}

/** Labels of the file in the order of their numbers; undefined: scores. */
export type LabelNumbers = ReadonlyMap<string, number> | undefined;

function labelOf(file: string, row: Row, numbers: LabelNumbers): number {
  if (numbers === undefined) {
    const score = /^\s*$/.test(row.label) ? Number.NaN : Number(row.label);
    if (Number.isFinite(score)) return score;
    throw lineError(file, row.line, `the score is ${JSON.stringify(row.label)}; allowed: a number`);
  }
  const number = numbers.get(row.label);
  if (number !== undefined) return number;
  const allowed = [...numbers.keys()].join(" or ");
  throw lineError(file, row.line, `the label is ${JSON.stringify(row.label)}; allowed: ${allowed}`);
}

/** At most `most` tokens: words go from the end of the longer text. Those of `frame`, such as [CLS] and </s>, stay. */
export function shortened(
  { inputIds, tokenTypeIds }: Encoded,
  most: number,
  frame: ReadonlySet<number>,
): Pick<Example, "ids" | "types"> {
  const kept = inputIds.map((id, at) => ({ id, type: tokenTypeIds[at]! }));
  while (kept.length > most) {
    // A text is what stands between two tokens of the frame.
    let words = 0;
    let longest = 0;
    let end = -1;
    for (const [at, { id }] of kept.entries()) {
      words = frame.has(id) ? 0 : words + 1;
      if (words > longest) [longest, end] = [words, at];
    }
    if (end < 0) break;
    kept.splice(end, 1);
  }
  return { ids: kept.map(({ id }) => id), types: kept.map(({ type }) => type) };
}

export function examplesOf(
  file: string,
  rows: readonly Row[],
  numbers: LabelNumbers,
  model: Encoder,
  most: number,
): Example[] {
  const frame = new Set(model.encode("").inputIds);
  return rows.map((row) => ({
    ...shortened(model.encode(row.text, row.pair), most, frame),
    label: labelOf(file, row, numbers),
  }));
}

/** The labels that occur in a file whose task is not known, in order. */
export function labelsIn(file: string, rows: readonly Row[]): string[] {
  const labels = [...new Set(rows.map(({ label }) => label))].sort((a, b) =>
    a.localeCompare(b, "en", { numeric: true }),
  );
  if (labels.length < 2) throw new FileError(file, `holds ${labels.length} label; allowed: at least 2`);
  if (labels.length > 1000) throw new FileError(file, `holds ${labels.length} labels; allowed: at most 1000`);
  return labels;
}
