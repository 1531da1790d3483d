import { pictureOf, png } from "./picture.js";
import { csv, type Table } from "./table.js";

export type Format = "PNG" | "SVG" | "CSV";

export function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to read by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves a figure to the visitor's disk, as `ropewalk-<name>.<format>`. */
export async function save(format: Format, name: string, title: string, root: HTMLElement, table: Table) {
  const file = `ropewalk-${name}.${format.toLowerCase()}`;
  if (format === "CSV") return download(new Blob([csv(table)], { type: "text/csv" }), file);
  const picture = pictureOf(root, title);
  if (format === "SVG") return download(new Blob([picture.svg], { type: "image/svg+xml" }), file);
  download(await png(picture), file);
}
