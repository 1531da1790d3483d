import { batch, effect, signal } from "@preact/signals";
import type { Field, Value } from "./fields.js";
import { placeOf } from "./place.js";

/** The state of one page: its fields, and the signals that hold their values. */
export interface PageState {
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  readonly state: Readonly<Record<string, Value<unknown>>>;
  /** Fields that another page has now: an address with one of them leads there. */
  readonly moved?: { readonly to: string; readonly fields: readonly string[] };
  /** The field whose value may follow the page's name: `#page/value`. */
  readonly short?: string;
}

/** By name, in the order of the tabs; the first page is that of an address without one. */
let pages: ReadonlyMap<string, PageState> = new Map();
/** The present address of each page of old, from its fields. */
export type Former = Readonly<Record<string, (given: URLSearchParams) => string>>;
let former: Former = {};

export const shownPage = signal("");
/** Why parts of the last link could not be used. */
export const notes = signal<readonly string[]>([]);

const firstPage = () => [...pages.keys()][0]!;

function fieldsOf(name: string): Array<[name: string, field: Field<unknown>, value: Value<unknown>]> {
  const { fields, state } = pages.get(name)!;
  return Object.entries(fields).map(([key, field]) => [key, field, state[key]!]);
}

const partsOf = (hash: string) => hash.replace(/^#/, "").split(/\?(.*)/s);

/** An old address, or a short one, as it is written today. */
function presentAddress(hash: string): string {
  const [path = "", query = ""] = partsOf(hash);
  const [name = "", value] = path.split(/\/(.*)/s);
  const given = new URLSearchParams(query);
  const old = former[name];
  if (old && !pages.has(name)) return old(given);
  const short = pages.get(name)?.short;
  if (short && value !== undefined) return `#${name}?${new URLSearchParams([[short, value], ...given])}`;
  const moved = pages.get(name)?.moved;
  return moved?.fields.some((field) => given.has(field)) ? `#${moved.to}?${query}` : hash;
}

/** The page whose folder this is: `rotate` of `.../rotate/`, "" of the root; undefined if it is none of the site's pages. */
function folderOf({ href }: { readonly href: string }): string | undefined {
  const root = document.baseURI;
  if (!href.startsWith(root)) return undefined;
  const name = href
    .slice(root.length)
    .replace(/[?#].*$/s, "")
    .replace(/(^|\/)index\.html$/, "")
    .replace(/\/$/, "");
  return name === "" || pages.has(name) ? name : undefined;
}

/**
 * Reads `#page?field=value&...`, or without a page there, the one of the folder. An unknown field is ignored. A value that its
 * field does not allow becomes the fallback, and `notes` says so.
 */
function readAddress(): void {
  const [asked = "", query = ""] = partsOf(presentAddress(location.hash));
  const name = asked || folderOf(location) || firstPage();
  if (!pages.has(name)) {
    shownPage.value = firstPage();
    notes.value = [
      `The link asks for the page “${name.slice(0, 24)}”, which does not exist. Showing the page The Rope.`,
    ];
    return;
  }
  shownPage.value = name;
  const given = new URLSearchParams(query);
  const refused: string[] = [];
  for (const [key, field, value] of fieldsOf(name)) {
    const raw = given.get(key);
    const parsed = raw === null ? undefined : field.parse(raw);
    if (raw !== null && parsed === undefined) {
      refused.push(
        `The link asks for ${key} “${raw.slice(0, 24)}”; allowed: ${field.allowed}. Showing ${field.format(field.fallback) || "none"}.`,
      );
    }
    value.value = parsed === undefined ? field.fallback : parsed;
  }
  notes.value = refused;
}

const embedded = () => (document.documentElement.dataset.embed === undefined ? "" : "?embed=1");

/** The address that restores a page as it is now, seen from the root of the site. A field at its fallback is left out. */
export function writeAddress(name: string): string {
  const query = new URLSearchParams();
  for (const [key, field, value] of fieldsOf(name)) {
    const written = field.format(value.value);
    if (written !== field.format(field.fallback)) query.set(key, written);
  }
  const written = query.toString();
  return `${placeOf(name, [...pages.keys()])}${embedded()}${written && `#${name}?${written}`}`;
}

const isHere = (address: string) => new URL(address, document.baseURI).href === location.href;

/** The page, and what is chosen on it from a list: the browser's Back undoes a change of these. */
function choicesOf(name: string): string {
  const chosen = fieldsOf(name).filter(([, field]) => "values" in field);
  return JSON.stringify([name, ...chosen.map(([, , value]) => value.value)]);
}

/** Counts changes that are a step of their own although they choose from no list, such as an example's sentence. */
const steps = signal(0);

/** Goes to a page with these values in its fields, which may be longer than a link can hold; the others fall back. */
export function show(name: string, values: Readonly<Record<string, unknown>>): void {
  batch(() => {
    for (const [key, field, value] of fieldsOf(name)) value.value = values[key] ?? field.fallback;
    notes.value = [];
    shownPage.value = name;
  });
}

/** Makes a change that the browser's Back undoes. */
export function step(change: () => void): void {
  batch(() => {
    change();
    steps.value++;
  });
}

/** Goes to a page as the visitor left it. */
export function visit(name: string): void {
  batch(() => {
    notes.value = [];
    shownPage.value = name;
  });
}

/** The link that a click follows within this document: the browser would load the page of another folder anew. */
function followed(event: MouseEvent): HTMLAnchorElement | undefined {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link?.href || link.target || event.defaultPrevented || !plain) return undefined;
  return folderOf(link) === undefined ? undefined : link;
}

/**
 * Keeps state and address alike, both ways. A choice adds an entry to the history; a slider or a text replaces the
 * present one, slowly, since browsers limit how often that may happen.
 */
export function followAddress(of: ReadonlyMap<string, PageState>, old: Former): void {
  pages = of;
  former = old;
  let pending: ReturnType<typeof setTimeout> | undefined;
  /** True while the state takes what an address says: that address need only be written as it is today. */
  let arriving = false;
  const write = (address: string) => {
    if (!isHere(address)) history.replaceState(null, "", address);
  };
  const read = () => {
    arriving = true;
    batch(readAddress);
    arriving = false;
    write(writeAddress(shownPage.peek()));
  };
  read();
  const arrived = () => {
    clearTimeout(pending);
    if (!isHere(writeAddress(shownPage.peek()))) read();
  };
  addEventListener("popstate", arrived);
  document.addEventListener("click", (event) => {
    const link = followed(event);
    if (!link) return;
    event.preventDefault();
    const place = document.getElementById(link.hash.slice(1));
    // A place on this page, such as "Skip to the content".
    if (place && !pages.has(link.hash.slice(1))) {
      place.scrollIntoView();
      place.focus({ preventScroll: true });
      return;
    }
    clearTimeout(pending);
    // Changes by a slider belong to the entry that is left.
    write(writeAddress(shownPage.peek()));
    if (link.href !== location.href) history.pushState(null, "", link.href);
    read();
  });
  let address = writeAddress(shownPage.peek());
  let choices = choicesOf(shownPage.peek());
  let taken = steps.peek();
  effect(() => {
    const [last, lastChoices, lastTaken] = [address, choices, taken];
    address = writeAddress(shownPage.value);
    choices = choicesOf(shownPage.value);
    taken = steps.value;
    clearTimeout(pending);
    if (arriving || isHere(address)) return;
    const before = location.href;
    if (lastChoices !== choices || lastTaken !== taken) {
      // Earlier changes by a slider belong to the entry that is left.
      write(last);
      history.pushState(null, "", address);
    } else {
      pending = setTimeout(() => {
        // Another address meanwhile: the visitor went there.
        if (location.href === before) history.replaceState(null, "", address);
      }, 300);
    }
  });
}
