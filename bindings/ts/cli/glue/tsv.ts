/** GLUE's tab-separated files: no quoting, so a quotation mark is a character like any other. */
import { FileError } from "../files.js";
import type { Columns } from "./tasks.js";

/** A line of the file, by its number from 1. */
export interface Row {
  line: number;
  label: string;
  text: string;
  pair?: string;
}

/** The error of one line of a file. */
export const lineError = (file: string, line: number, why: string): FileError => new FileError(`${file}:${line}`, why);

function placeOf(column: number | string, header: readonly string[] | undefined, file: string): number {
  if (typeof column === "number") return column;
  const places = header!.flatMap((name, at) => (name === column ? [at] : []));
  if (places.length === 1) return places[0]!;
  const names = header!.map((name) => JSON.stringify(name)).join(", ");
  throw lineError(file, 1, `has ${places.length} columns named ${JSON.stringify(column)}; allowed: one among ${names}`);
}

/** `text` is all of `file`, whose lines may end as on Windows, and which may begin with a byte order mark. */
export function parseTsv(file: string, text: string, columns: Columns): Row[] {
  if (text.trim() === "") throw new FileError(file, "is empty");
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const header = columns.withoutHeader === undefined ? (lines[0] ?? "").split("\t") : undefined;
  const width = columns.withoutHeader ?? header!.length;
  const label = placeOf(columns.label, header, file);
  const first = placeOf(columns.text, header, file);
  const second = columns.pair === undefined ? undefined : placeOf(columns.pair, header, file);
  const rows = lines.flatMap((content, at) => {
    if (header !== undefined && at === 0) return [];
    const cells = content.split("\t");
    if (cells.length !== width) {
      const allowed = header === undefined ? `${width}` : `${width}, as the header has`;
      throw lineError(file, at + 1, `has ${cells.length} columns; allowed: ${allowed}`);
    }
    const row: Row = { line: at + 1, label: cells[label]!, text: cells[first]! };
    return [second === undefined ? row : { ...row, pair: cells[second]! }];
  });
  if (rows.length === 0) throw new FileError(file, "holds no line of data");
  return rows;
}
