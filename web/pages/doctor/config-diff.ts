/** Two configurations side by side, member by member of their outermost object. */

type Kind = "same" | "removed" | "added";
type Members = Readonly<Record<string, unknown>>;

export interface DiffLine {
  readonly kind: Kind;
  readonly text: string;
}

const written = (object: Members, key: string): string => JSON.stringify({ [key]: object[key] }, null, 2).slice(2, -2);

/**
 * The lines of `given`, each that changes followed by what `fixed` has instead; at the end what is new. Without the
 * lines that are removed it is the text of `fixed`.
 */
export function configDiff(given: Members, fixed: Members): DiffLine[] {
  const members = [
    ...Object.keys(given).flatMap((key): (readonly [Kind, string])[] => {
      if (!(key in fixed)) return [["removed", written(given, key)]];
      if (written(given, key) === written(fixed, key)) return [["same", written(fixed, key)]];
      return [
        ["removed", written(given, key)],
        ["added", written(fixed, key)],
      ];
    }),
    ...Object.keys(fixed).flatMap((key) => (key in given ? [] : [["added", written(fixed, key)] as const])),
  ];
  const last = members.map(([kind]) => kind !== "removed").lastIndexOf(true);
  const lines = members.flatMap(([kind, text], i) =>
    `${text}${i === last ? "" : ","}`.split("\n").map((line) => ({ kind, text: line })),
  );
  return [{ kind: "same", text: "{" }, ...lines, { kind: "same", text: "}" }];
}
