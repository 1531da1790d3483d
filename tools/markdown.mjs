// Markdown tables, and numbers and texts in documents that tools write.

/** A table; `align` has "l" or "r" for each column, and columns beyond it are as its last one. */
export function table(head, rows, align = "") {
  const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  const rule = head.map((_, i) => ((align[i] ?? align.at(-1)) === "r" ? "---:" : "---"));
  for (const row of rows) {
    if (row.length !== head.length)
      throw new RangeError(`table: a row has ${row.length} cells, the head ${head.length}`);
  }
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

/** Three significant digits, and never an exponent. */
export function digits(value, count = 3) {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const places = Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 6));
}

export const megabytes = (bytes) => `${digits(bytes / 1e6)} MB`;

/** For JSON.stringify: fractions in so many significant digits. More would be noise, and make every run a larger difference. */
export const rounded = (count) => (_, value) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(count)) : value;

/** For HTML and SVG. */
export const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Milliseconds in the unit in which they read best. */
export function time(ms) {
  const size = Math.abs(ms);
  if (size < 1e-3) return `${digits(ms * 1e6)} ns`;
  if (size < 1) return `${digits(ms * 1e3)} us`;
  return size < 1e4 ? `${digits(ms)} ms` : `${digits(ms / 1e3)} s`;
}
