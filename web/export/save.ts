import { inLight, saveInLight } from "../state/theme.js";
import { pictureOf, png } from "./picture.js";
import { withTexts } from "./png-text.js";
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

interface Saved {
  readonly name: string;
  readonly title: string;
  /** The address that restores the page with its state. */
  readonly link: string;
  readonly table: Table;
}

/** Saves a figure to the visitor's disk, as `ropewalk-<name>.<format>`. */
export async function save(format: Format, root: HTMLElement, { name, title, link, table }: Saved): Promise<void> {
  const file = `ropewalk-${name}.${format.toLowerCase()}`;
  if (format === "CSV") return download(new Blob([csv(table)], { type: "text/csv" }), file);
  const picture = await (saveInLight.value
    ? inLight(() => pictureOf(root, title, link))
    : pictureOf(root, title, link));
  if (format === "SVG") return download(new Blob([picture.svg], { type: "image/svg+xml" }), file);
  download(withTexts(await png(picture), { Title: title, Source: link }), file);
}
