import type { EncodingsQuestion } from "./calls.js";
import { encodingNames } from "./kinds.js";
import { mostWords } from "./sizes.js";
import { fields } from "./state.js";

/** The words of a text: two at least, and no more than are compared. */
export function wordsOf(text: string): readonly string[] {
  const given = text.split(/\s+/).filter(Boolean).slice(0, mostWords);
  return given.length > 1 ? given : [...given, ...["rope", "walk"].slice(given.length)];
}

/** From 1, in the order in which words first appear. */
export function idsOf(list: readonly string[]): number[] {
  const known = [...new Set(list)];
  return list.map((word) => known.indexOf(word) + 1);
}

interface Asked {
  readonly words: readonly string[];
  readonly seed: number;
  readonly head: number;
  readonly shift: number;
  readonly from: number;
  readonly to: number;
}

export function questionOf({ words, seed, head, shift, from, to }: Asked): EncodingsQuestion {
  const ids = idsOf(words);
  return { encodings: encodingNames, words: ids, seed, head, shift, pair: [ids[from]!, ids[to]!] };
}

/** The question of an address without fields. */
export function openingQuestion(): EncodingsQuestion {
  const { words, seed, head, shift, from, to } = fields;
  return questionOf({
    words: wordsOf(words.fallback),
    seed: seed.fallback,
    head: head.fallback,
    shift: shift.fallback,
    from: from.fallback,
    to: to.fallback,
  });
}
