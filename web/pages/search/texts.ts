import { MOST_TEXTS } from "./state.js";

/** Lines that are not blank. */
export const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, MOST_TEXTS);

/** The first field of each record of a CSV file, by RFC 4180; breaks within a field become spaces. */
export function firstFields(csv: string): string {
  const fields: string[] = [];
  for (const [, quoted, bare] of csv.matchAll(
    /(?:^|\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*\r?(?=\n|$)/g,
  ))
    fields.push((quoted?.replaceAll('""', '"') ?? bare ?? "").replace(/\s+/g, " "));
  return fields.join("\n");
}

/** Files that hold texts rather than a model. */
export const isTexts = ({ name }: File): boolean => /\.(txt|csv)$/i.test(name) && !/vocab\.txt$/i.test(name);

export async function readTexts(files: readonly File[]): Promise<string> {
  const parts = await Promise.all(
    files.map(async (file) => {
      const text = await file.text();
      return /\.csv$/i.test(file.name) ? firstFields(text) : text;
    }),
  );
  return linesOf(parts.join("\n")).join("\n");
}
