import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { shownPage } from "../state/address.js";
import { type Field, text, type Value } from "../state/fields.js";

/** Characters that the text may have. */
export const MOST = 4000;

/** The one text of the tab Models; undefined while nobody has typed any, and each look shows an example of its own. */
const typed = signal<string | undefined>(undefined);

/** The text as one look reads it, and its field in that look's address, whose fallback is the look's example. */
export interface LookText {
  readonly field: Field<string>;
  /** Setting it to the example gives every look its own again. */
  readonly value: Value<string>;
}

export function textOfLook(example: string, read: (typed: string) => string = (all) => all): LookText {
  const seen = computed(() => (typed.value === undefined ? example : read(typed.value)));
  const value = {
    get value() {
      return seen.value;
    },
    set value(next) {
      // Writing the same value back would cut off what this look does not show of the text.
      if (next !== seen.peek()) typed.value = next === example ? undefined : next;
    },
    peek: () => seen.peek(),
  };
  return { field: text(example, MOST), value };
}

/** A value that rests while its page is out of sight: nothing is computed for what nobody sees. */
export function whileShown<T>(page: string, read: () => T): ReadonlySignal<T> {
  let kept: { readonly value: T } | undefined;
  return computed(() => {
    if (!kept || shownPage.value === page) kept = { value: read() };
    return kept.value;
  });
}

/** Amino acids, one letter each: no sentence has so many capitals in a row. */
export const isSequence = (given: string): boolean => /[A-Z]{20}/.test(given);
/** Words: sequences are written without spaces, or in groups of ten. A line that begins with > is a heading. */
export const isSentence = (given: string): boolean => /\b[a-z]{1,9} +[a-z]/.test(given.replace(/^>.*$/gm, ""));

/** The hint of a language look for a text that is a sequence of amino acids; "" for others. */
export const notLanguage = (given: string): string =>
  isSequence(given) ? "This text is a sequence of amino acids, which the look Proteins reads." : "";
