import { batch, effect, type Signal, signal } from "@preact/signals";
import type { Field } from "./fields.js";

/** The state of one page: its fields, and the signals that hold their values. */
export interface PageState {
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  readonly state: Readonly<Record<string, Signal<unknown>>>;
}

/** By name, in the order of the tabs; the first page is that of an address without one. */
let pages: ReadonlyMap<string, PageState> = new Map();

export const shownPage = signal("");
/** Why parts of the last link could not be used. */
export const notes = signal<readonly string[]>([]);

const firstPage = () => [...pages.keys()][0]!;

function fieldsOf(name: string): Array<[name: string, field: Field<unknown>, value: Signal<unknown>]> {
  const { fields, state } = pages.get(name)!;
  return Object.entries(fields).map(([key, field]) => [key, field, state[key]!]);
}

/**
 * Reads `#page?field=value&...`; `hash` is the text after `#`. An unknown field is ignored. A value that its field does
 * not allow becomes the fallback, and `notes` says so.
 */
function readAddress(hash: string): void {
  const [name = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  shownPage.value = pages.has(name) ? name : firstPage();
  if (!pages.has(name)) {
    notes.value = [];
    return;
  }
  const given = new URLSearchParams(query);
  const refused: string[] = [];
  for (const [key, field, value] of fieldsOf(name)) {
    const raw = given.get(key);
    const parsed = raw === null ? undefined : field.parse(raw);
    if (raw !== null && parsed === undefined) {
      refused.push(
        `The link asks for ${key} “${raw.slice(0, 24)}”; allowed: ${field.allowed}. Showing ${field.format(field.fallback)}.`,
      );
    }
    value.value = parsed === undefined ? field.fallback : parsed;
  }
  notes.value = refused;
}

/** The address that restores a page as it is now. A field at its fallback is left out. */
export function writeAddress(name: string): string {
  const query = new URLSearchParams();
  for (const [key, field, value] of fieldsOf(name)) {
    const written = field.format(value.value);
    if (written !== field.format(field.fallback)) query.set(key, written);
  }
  const written = query.toString();
  return `#${name}${written && `?${written}`}`;
}

/** Keeps state and address alike, both ways. Browsers limit how often an address may be replaced: it follows slowly. */
export function followAddress(of: ReadonlyMap<string, PageState>): void {
  pages = of;
  let pending: ReturnType<typeof setTimeout> | undefined;
  let bare = location.hash === "";
  const read = () => batch(() => readAddress(location.hash));
  read();
  addEventListener("hashchange", () => {
    clearTimeout(pending);
    if (location.hash !== writeAddress(shownPage.peek())) read();
  });
  effect(() => {
    const address = writeAddress(shownPage.value);
    // An address that nobody has touched stays clean.
    if (bare && address === `#${firstPage()}`) return;
    bare = false;
    clearTimeout(pending);
    const before = location.hash;
    if (before === address) return;
    pending = setTimeout(() => {
      // Another address meanwhile: the visitor went there, and its hashchange is on the way.
      if (location.hash === before) history.replaceState(null, "", address);
    }, 300);
  });
}
