/**
 * The parts of pages that a search finds: read from what `ropewalk index` wrote, and ranked by their words, by their
 * vectors, or by both.
 */
import MiniSearch from "minisearch";
import { read } from "../vectors/file.js";

/** A part of a page. */
export interface Passage {
  /** Relative to the address of the index. */
  address: string;
  /** Titles of the page and of the section. */
  title: string;
  text: string;
}

export interface SavedPassages {
  passages: readonly Passage[];
  /** Ids of the passages in the index of vectors; undefined where the file holds words alone. */
  ids: readonly string[] | undefined;
}

/** An index of words is JSON, which every server compresses. */
const isJson = (bytes: Uint8Array): boolean => bytes[0] === "{".charCodeAt(0);

const isPassage = (value: unknown): value is Passage =>
  ["address", "title", "text"].every((name) => typeof (Object(value) as Record<string, unknown>)[name] === "string");

/** @throws TypeError for bytes that `ropewalk index` did not write. */
export function readPassages(bytes: Uint8Array): SavedPassages {
  if (isJson(bytes)) {
    const { passages } = JSON.parse(new TextDecoder().decode(bytes)) as { passages?: unknown };
    if (Array.isArray(passages) && passages.every(isPassage)) return { passages, ids: undefined };
  } else {
    const { fields, ids } = read(bytes).header;
    if (fields.every(isPassage)) return { passages: fields as unknown as Passage[], ids };
  }
  throw new TypeError("the file is no index that `ropewalk index` wrote");
}

/** Words, and of a name such as `rope_theta` its parts as well. */
const tokenize = (text: string): string[] =>
  (text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const parts = word.split("_").filter((part) => part !== "");
    return parts.length > 1 ? [word, ...parts] : parts;
  });

/** Words that make a question of a query. Few texts hold them, so that a ranking would take them for the telling ones. */
const PLAIN = new Set(
  "a an and any are as at be but by can could did do does for from get had has have how i if in into is it its me my need of on or our should so than that the there these this those to use used using want was we were what when where which who why will with work works would you your".split(
    " ",
  ),
);
const isTelling = (term: string): boolean => !PLAIN.has(term.toLowerCase());

export class WordSearch {
  readonly #search = new MiniSearch<Passage & { id: number }>({ fields: ["title", "text"], tokenize });

  /** In portions, between which a page can answer. */
  static async of(passages: readonly Passage[]): Promise<WordSearch> {
    const words = new WordSearch();
    await words.#search.addAllAsync(
      passages.map((passage, id) => ({ ...passage, id })),
      { chunkSize: 50 },
    );
    return words;
  }

  /** Rows of passages, the best first, and the words that were found in them: those of the query first, of these the rarest. */
  find(query: string): { rows: number[]; found: ReadonlyMap<number, readonly string[]> } {
    const telling = tokenize(query).some(isTelling) ? isTelling : () => true;
    const hits = this.#search.search(query, {
      processTerm: (term) => telling(term) && term.toLowerCase(),
      boost: { title: 2 },
      // The last word may not be complete yet.
      prefix: (_, i, all) => i === all.length - 1,
      // A slip of the finger in a long word; never in a number.
      fuzzy: (word) => (word.length > 5 && !/\d/.test(word) ? 1 : false),
    });
    const counts = new Map<string, number>();
    for (const term of hits.flatMap(({ terms }) => terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const found = hits.map(({ id, terms, queryTerms }): [number, string[]] => {
      const rank = (term: string) => counts.get(term)! + (queryTerms.includes(term) ? 0 : hits.length);
      return [id as number, [...terms].sort((a, b) => rank(a) - rank(b))];
    });
    return { rows: found.map(([row]) => row), found: new Map(found) };
  }
}

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), as its authors set it. */
const SMOOTHING = 60;

/** Rows by the sum of 1 / (60 + rank) over rankings; of equal ones the first ranking's first. */
export function fused(...rankings: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const rows of rankings)
    rows.forEach((row, i) => {
      scores.set(row, (scores.get(row) ?? 0) + 1 / (SMOOTHING + i + 1));
    });
  return [...scores].sort(([, a], [, b]) => b - a).map(([row]) => row);
}

const EXCERPT = 160;

/** A pattern of whole words, which the search has made of letters, digits and "_". */
const wholeWords = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})(?![\\p{L}\\p{N}])`, "giu");

/** Some 160 letters around the first word that stands in the text, and whether each piece is one of the words. */
export function excerpt(text: string, words: readonly string[]): { text: string; found: boolean }[] {
  const pattern = wholeWords(words);
  const line = text.replace(/\s+/g, " ");
  const places = words.map((word) => line.search(wholeWords([word])));
  const at = places.find((place) => place >= 0) ?? 0;
  const begin = at < EXCERPT / 2 ? 0 : line.lastIndexOf(" ", at - EXCERPT / 4) + 1;
  const end = begin + EXCERPT >= line.length ? line.length : line.lastIndexOf(" ", begin + EXCERPT);
  const cut = line.slice(begin, end > begin ? end : begin + EXCERPT);
  const shown = `${begin > 0 ? "\u2026 " : ""}${cut}${end < line.length ? " \u2026" : ""}`;
  // Every second piece of a text that is split at a group is the group.
  const pieces = words.length === 0 ? [shown] : shown.split(pattern);
  return pieces.map((piece, i) => ({ text: piece, found: i % 2 === 1 })).filter((piece) => piece.text !== "");
}
