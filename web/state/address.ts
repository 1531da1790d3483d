import { batch, effect, type Signal, signal } from "@preact/signals";
import { former } from "../pages/index.js";
import type { Field } from "./fields.js";

/** The state of one page: its fields, and the signals that hold their values. */
export interface PageState {
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  readonly state: Readonly<Record<string, Signal<unknown>>>;
  /** Fields that another page has now: an address with one of them leads there. */
  readonly moved?: { readonly to: string; readonly fields: readonly string[] };
  /** The field whose value may follow the page's name: `#page/value`. */
  readonly short?: string;
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

const partsOf = (hash: string) => hash.replace(/^#/, "").split(/\?(.*)/s);

/** An address as it is written today. */
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

/**
 * Reads `#page?field=value&...`; `hash` is the text after `#`. An unknown field is ignored. A value that its field does
 * not allow becomes the fallback, and `notes` says so.
 */
function readAddress(hash: string): void {
  const [name = "", query = ""] = partsOf(hash);
  if (!pages.has(name)) {
    shownPage.value = firstPage();
    notes.value = name
      ? [`The link asks for the page “${name.slice(0, 24)}”, which does not exist. Showing the page The Rope.`]
      : [];
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

/**
 * Keeps state and address alike, both ways. A choice adds an entry to the history; a slider or a text replaces the
 * present one, slowly, since browsers limit how often that may happen.
 */
export function followAddress(of: ReadonlyMap<string, PageState>): void {
  pages = of;
  let pending: ReturnType<typeof setTimeout> | undefined;
  let bare = location.hash === "";
  const read = () => {
    const address = presentAddress(location.hash);
    if (address !== location.hash) history.replaceState(null, "", address);
    batch(() => readAddress(location.hash));
  };
  read();
  addEventListener("hashchange", () => {
    clearTimeout(pending);
    const target = location.hash.slice(1);
    // A link to a place on this page, such as "Skip to the content".
    if (!pages.has(target) && document.getElementById(target)) {
      history.replaceState(null, "", writeAddress(shownPage.peek()));
      return;
    }
    if (location.hash !== writeAddress(shownPage.peek())) read();
  });
  let address = writeAddress(shownPage.peek());
  let choices = choicesOf(shownPage.peek());
  let taken = steps.peek();
  effect(() => {
    const [last, lastChoices, lastTaken] = [address, choices, taken];
    address = writeAddress(shownPage.value);
    choices = choicesOf(shownPage.value);
    taken = steps.value;
    // An address that nobody has touched stays clean.
    if (bare && address === `#${firstPage()}`) return;
    clearTimeout(pending);
    const before = location.hash;
    if (before === address) return;
    if (lastChoices !== choices || lastTaken !== taken) {
      // Earlier changes by a slider belong to the entry that is left.
      if (before !== last && !bare) history.replaceState(null, "", last);
      history.pushState(null, "", address);
    } else {
      pending = setTimeout(() => {
        // Another address meanwhile: the visitor went there, and its hashchange is on the way.
        if (location.hash === before) history.replaceState(null, "", address);
      }, 300);
    }
    bare = false;
  });
}
