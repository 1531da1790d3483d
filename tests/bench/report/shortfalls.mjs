// The rows that fall short of their targets, and why, the most important first. Rows of one note stand together.
import { digits } from "../../../tools/markdown.mjs";

/** Contracts from what a user feels most to what only the library's authors see. */
const ORDER = ["models", "decode", "prefill", "startup", "encoder", "training", "threads", "rotation", "call", "heads"];

const rankOf = ({ id }) => {
  const found = ORDER.findIndex((name) => id.startsWith(name));
  return found < 0 ? ORDER.length : found;
};

/**
 * The first note whose key fits: keys are those of contract rows, `<contract>/<host>/<case>`, with `*` for any text.
 */
export function noteFor(notes, key) {
  for (const [pattern, note] of Object.entries(notes)) {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    if (new RegExp(`^${parts.join(".*")}$`).test(key)) return { pattern, note };
  }
  return null;
}

/** "1.05 to 1.28" */
function rangeOf(values) {
  const [least, most] = [digits(Math.min(...values)), digits(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

const unique = (values) => [...new Set(values)];

/** "int8, x onnxruntime-web's q8, node and chromium, 12 rows: 0.97 to 1.28 for 1.3" */
function rowsText(rows) {
  const [{ what, unit }] = rows;
  const hosts = unique(rows.map(({ host }) => host)).join(" and ");
  const measured = rows.filter(({ value }) => value !== undefined);
  const cases = rows.length === 1 ? rows[0].case : `${rows.length} rows`;
  if (measured.length === 0) return `${what} (${hosts}, ${cases}): not measured, ${rows[0].why ?? "for an error"}`;
  const target = unique(measured.map((row) => row.target)).filter((each) => each !== null);
  const goal = target.length > 0 ? ` for ${rangeOf(target)}` : "";
  return `${what} (${hosts}, ${cases}): ${rangeOf(measured.map(({ value }) => value))}${goal}${unit ? ` ${unit}` : ""}`;
}

/** The note of a row. A row that was not measured has its cause beside it, and a note about speed would not be about it. */
function noteOf(row, notes) {
  if (row.value === undefined && row.why !== undefined) return "";
  const unexplained = row.verdict === "within the spread" ? "Within the spread of a run." : "Not yet explained.";
  return noteFor(notes, row.key)?.note ?? unexplained;
}

/** Bullets of Markdown: for each note what it is about, and the note. */
function noted(rows, notes) {
  const groups = new Map();
  for (const row of rows.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const note = noteOf(row, notes);
    groups.set(note, [...(groups.get(note) ?? []), row]);
  }
  return [...groups].map(([note, all]) => {
    const whats = unique(all.map(({ what }) => what));
    return `- **${whats.map((what) => rowsText(all.filter((row) => row.what === what))).join("; ")}.** ${note}`.trimEnd();
  });
}

export function shortText(contracts, notes) {
  const short = contracts.filter(({ verdict }) => verdict !== "met" && verdict !== "no target");
  return short.length === 0 ? ["Every row is met."] : noted(short, notes);
}

export const droppedText = (contracts, notes) =>
  noted(
    contracts.filter(({ verdict }) => verdict === "no target"),
    notes,
  );
