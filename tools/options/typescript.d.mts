/** The files that are made from the tables of options, by their paths in the repository. */
export const generated: Readonly<Record<string, (table: object) => string>>;
/** The rows of the sheet of facts as JSON, after one with the version. */
export function factRows(): string[];
