import { MOST_TEXTS } from "./state.js";

/** All lines that are not blank. */
const allLinesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
export const linesOf = (text: string): string[] => allLinesOf(text).slice(0, MOST_TEXTS);
/** Lines beyond those that are searched. */
export const linesLeftOut = (text: string): number => Math.max(0, allLinesOf(text).length - MOST_TEXTS);

/** The records of a CSV file, by RFC 4180; breaks within a field become spaces. */
export function recordsOf(csv: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    record.push((quoted?.replaceAll('""', '"') ?? bare ?? "").replace(/\s+/g, " ").trim());
    if (end === ",") continue;
    if (record.some(Boolean)) records.push(record);
    record = [];
  }
  return records;
}

/** A CSV file as the page takes it: the column that it searches, and the others, which may be chosen instead. */
export interface Columns {
  readonly names: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
  /** The one with the longest texts. */
  readonly longest: number;
}

const isNumber = (field: string) => field !== "" && !Number.isNaN(Number(field));
const usualNames = /^(id|index|text|texts|sentence|query|question|answer|title|body|content|label|name|note)$/i;

export function columnsOf(csv: string): Columns {
  const records = recordsOf(csv);
  const width = Math.max(0, ...records.map(({ length }) => length));
  const all = Array.from({ length: width }, (_, i) => i);
  const [first = [], ...others] = records;
  // A heading names a column of numbers by a word, or has a name that headings usually have.
  const isHeading =
    others.length > 0 &&
    (first.some((field) => usualNames.test(field)) ||
      all.some((i) => !isNumber(first[i] ?? "") && others.every((row) => isNumber(row[i] ?? ""))));
  const rows = isHeading ? others : records;
  const lengthOf = (i: number) => rows.reduce((sum, row) => sum + (row[i]?.length ?? 0), 0);
  const longest = all.reduce((best, i) => (lengthOf(i) > lengthOf(best) ? i : best), 0);
  return { names: all.map((i) => (isHeading && first[i]) || `column ${i + 1}`), rows, longest };
}

export const columnOf = ({ rows }: Columns, index: number): string =>
  linesOf(rows.map((row) => row[index] ?? "").join("\n")).join("\n");

/** Files that hold texts rather than a model. */
export const isTexts = ({ name }: File): boolean => /\.(txt|csv)$/i.test(name) && !/vocab\.txt$/i.test(name);

/** The texts of files, and the columns of a CSV file that comes alone. */
export async function readTexts(files: readonly File[]): Promise<{ texts: string; columns?: Columns }> {
  const parts = await Promise.all(
    files.map(async (file) => {
      const text = await file.text();
      if (!/\.csv$/i.test(file.name)) return { texts: text };
      const columns = columnsOf(text);
      return { texts: columnOf(columns, columns.longest), columns };
    }),
  );
  const texts = allLinesOf(parts.map((part) => part.texts).join("\n")).join("\n");
  return { texts, columns: parts.length === 1 ? parts[0]!.columns : undefined };
}
