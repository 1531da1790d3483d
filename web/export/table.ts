/** The numbers behind a figure: shown as a table, saved as CSV. The first column names the row. */
export interface Column {
  readonly name: string;
  /** How the page writes it; a CSV holds every digit. */
  write?(value: number): string;
}
export type Cell = number | string | undefined;
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: ReadonlyArray<readonly Cell[]>;
}

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** By RFC 4180. */
export function csv({ columns, rows }: Table): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map((cell) => String(cell ?? "")))];
  return lines.map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}
