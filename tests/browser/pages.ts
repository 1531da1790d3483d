import { readFileSync } from "node:fs";
import { type PageName, pageNames } from "../../web/pages/index.js";

/** tested.json of a page: what the tests that walk through every page know of it. */
interface Tested {
  /** On the page once its figures are drawn; a plain CSS selector, since two drivers use it. */
  readonly drawn: string;
  /**
   * There once a visitor can act and see figures to act on: for pages that show a recorded answer while their own is
   * being computed, which is what `drawn` waits for.
   */
  readonly interactive?: string;
  /** "none": the page shows no figure that could be saved. */
  readonly figures?: "none";
  /** The fields of its pictures (pictures.spec.ts), which show the page in a state worth looking at. */
  readonly pictured: Readonly<Record<string, string | object>>;
  /** The part of the page that previews of links show; without it, the first figure. */
  readonly preview?: string;
  /** An element that is there once a worker has answered, for pages that draw figures before that. */
  readonly answered?: string;
  /** An element that is there once all that takes seconds has been computed: a picture waits for it. */
  readonly settled?: string;
}

const read = (page: PageName): Tested =>
  JSON.parse(readFileSync(new URL(`../../web/pages/${page}/tested.json`, import.meta.url), "utf8")) as Tested;

export const tested = Object.fromEntries(pageNames.map((page) => [page, read(page)])) as Record<PageName, Tested>;

/** The address of a page's picture. */
export function picturedAt(page: PageName): string {
  const fields = Object.entries(tested[page].pictured);
  if (fields.length === 0) return `#${page}`;
  const texts = fields.map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value, null, 2),
  ]);
  return `#${page}?${new URLSearchParams(texts)}`;
}

const within = (page: PageName, selectors: string) =>
  selectors
    .split(", ")
    .map((part) => `#${page}-page ${part}`)
    .join(", ");

/** `drawn`, within the whole site. */
export const drawnIn = (page: PageName) => within(page, tested[page].drawn);
/** `interactive`, within the whole site. */
export const interactiveIn = (page: PageName) => within(page, tested[page].interactive ?? tested[page].drawn);

export { type PageName, pageNames };
