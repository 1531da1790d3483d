/**
 * Guesses at the tokens that come next, from the text itself: what followed its last tokens where they stood before. Source:
 * Saxena, Prompt Lookup Decoding (2023). A pass over several tokens reads each weight once.
 */

/** Tokens in a pass, of which the first is known: more would be computed in pieces. */
const MOST = 7;
/** Tokens that must stand before a guess, the surest first. */
const LENGTHS = [3, 2];

export class Lookup {
  readonly #ids: number[];
  #width = 3;
  /** Tokens without a guess, after wrong ones. */
  #rest = 0;
  #wrong = 0;

  /** `ids` as the cache holds them. */
  constructor(ids: Iterable<number>) {
    this.#ids = [...ids];
  }

  push(id: number): void {
    this.#ids.push(id);
  }

  /** At most so many tokens that may follow; none where the end stood nowhere before, and for a while after wrong ones. */
  guess(most: number): number[] {
    if (this.#rest > 0) {
      this.#rest--;
      return [];
    }
    const width = Math.min(most, this.#width);
    if (width < 1) return [];
    const ids = this.#ids;
    for (const length of LENGTHS) {
      const begin = ids.length - length;
      for (let at = begin - 1; at >= 0; at--) {
        let same = 0;
        while (same < length && ids[at + same] === ids[begin + same]) same++;
        if (same === length) return ids.slice(at + length, at + length + width);
      }
    }
    return [];
  }

  /** How many of the guessed tokens were right. */
  learn(guessed: number, right: number): void {
    if (guessed === 0) return;
    this.#wrong = right === 0 ? this.#wrong + 1 : 0;
    this.#rest = this.#wrong === 0 ? 0 : 2 ** Math.min(this.#wrong, 5);
    this.#width = right === guessed ? Math.min(MOST, 2 * this.#width) : Math.max(1, right);
  }
}
