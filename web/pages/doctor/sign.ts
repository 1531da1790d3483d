import type { RopeReport } from "ropewalk";

/** Green: nothing to do. Amber: look at one reader or key. Red: the model does not run as its file says. */
export type Light = "green" | "amber" | "red";
export interface Sign {
  readonly light: Light;
  readonly says: string;
}

export function signOf({ code, status, problems, readings }: RopeReport): Sign {
  if (code === 6) return { light: "red", says: "Refused" };
  if (code === 5) return { light: "red", says: "The table was never filled" };
  if (code === 4) return { light: "red", says: "The table is not what the file says" };
  if (code === 3) return { light: "amber", says: "Libraries differ" };
  if (problems.length > 0) return { light: "amber", says: "Read alike, with a warning" };
  if (status === "no-rotation") return { light: "green", says: "Nothing is rotated" };
  return { light: "green", says: readings.length > 0 ? "Read alike" : "A rule explains the table" };
}

export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** A summary of the report in a few words, for a list of models. */
export function lineOf({ outliers, problems, readings }: RopeReport): string {
  if (outliers.length > 0) {
    const from = Math.min(...outliers.flatMap(({ layers }) => layers.map((each) => each.tokensUntilTenthRadian)));
    const names = listed(outliers.map(({ reader }) => reader));
    const verb = outliers.length === 1 ? "differs" : "differ";
    return `${names} ${verb}${Number.isFinite(from) ? ` from token ${from} on` : ", but no angle"}`;
  }
  if (problems.length > 0) return problems.map(({ key, problem }) => `${key}: ${problem}`).join("; ");
  const rules = new Set(readings.map(({ rule, base }) => `rule ${rule}, base ${Number(base.toPrecision(7))}`));
  return listed([...rules]);
}
