/** The files that are made from the tables of options, by their paths in the repository. */
export const generated: Readonly<Record<string, (table: object) => string>>;
