/**
 * Finds regular expressions whose search may take exponential time. An engine that backtracks tries every way in which a
 * pattern can match. `(a+)+$` has about 2^n ways for n letters "a" with another letter behind them, and all of them fail.
 *
 * A pattern becomes an automaton. Its states are the letters and classes of the pattern, here called positions. Suppose that
 * two runs read the same text, begin at one position, part, and meet at that position again. They can do so again and again,
 * and each time the number of ways doubles. (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991.)
 */

/** Sample letters, at least one of each kind. Two classes overlap if both take one of these or of the pattern's own letters. */
const KINDS = `${String.fromCharCode(...Array(256).keys())}Āāǅʰאあア中한٣Ⅷ²‿–“”…€∑҈ः\u0301\u2028\u3000\u200b\ufeff\ue000😀`;

/** A part of a pattern: the positions at which its matches can begin and end, and whether it can match nothing. */
interface Part {
  isNullable: boolean;
  first: readonly number[];
  last: readonly number[];
  /** Something in it repeats. */
  repeats: boolean;
}

const EMPTY: Part = { isNullable: true, first: [], last: [], repeats: false };

/** A part that repeats more often than this counts as one that repeats any number of times. */
const COPIES = 3;

/** Parts of a pattern, counting the copies that repetitions make. */
const MOST_PARTS = 1 << 13;

class Automaton {
  readonly #source: string;
  #at = 0;
  #parts = 0;
  readonly #letters: string[];
  readonly #masks = new Map<string, bigint>();
  /** The letters of each position, as bits. */
  readonly of: bigint[] = [];
  /** Positions that can follow each position. One is listed twice if two ways lead to it. */
  readonly next: number[][] = [];

  constructor({ source }: RegExp) {
    this.#source = source;
    this.#letters = [...new Set(KINDS + source)];
    this.#alternatives();
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #matches(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #position(atom: string): Part {
    let mask = this.#masks.get(atom);
    if (mask === undefined) {
      const test = new RegExp(`^(?:${atom})$`, "us");
      mask = this.#letters.reduce((bits, letter, i) => (test.test(letter) ? bits | (1n << BigInt(i)) : bits), 0n);
      this.#masks.set(atom, mask);
    }
    const at = this.of.push(mask) - 1;
    this.next.push([]);
    return { isNullable: false, first: [at], last: [at], repeats: false };
  }

  #join(from: Part, to: Part): void {
    for (const each of from.last) this.next[each]!.push(...to.first);
  }

  #sequence(a: Part, b: Part): Part {
    this.#join(a, b);
    return {
      isNullable: a.isNullable && b.isNullable,
      first: a.isNullable ? [...a.first, ...b.first] : a.first,
      last: b.isNullable ? [...a.last, ...b.last] : b.last,
      repeats: a.repeats || b.repeats,
    };
  }

  #alternatives(): Part {
    let all: Part | undefined;
    do {
      let one = EMPTY;
      while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!))
        one = this.#sequence(one, this.#repeated());
      all = all && {
        isNullable: all.isNullable || one.isNullable,
        first: [...all.first, ...one.first],
        last: [...all.last, ...one.last],
        repeats: all.repeats || one.repeats,
      };
      all ??= one;
    } while (this.#takes("|"));
    return all;
  }

  #repeated(): Part {
    const begin = this.#at;
    const one = this.#atom();
    const sign = this.#matches(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (sign === undefined) return one;
    this.#takes("?");
    const end = this.#at;
    const [low, high] = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] }[sign] ?? boundsOf(sign);
    const isLoop = high! > COPIES || (high! > 1 && one.repeats);
    let all = EMPTY;
    for (let i = 0; i < Math.min(isLoop ? Math.max(1, low!) : high!, COPIES); i++) {
      this.#at = begin;
      let copy = i === 0 ? one : this.#atom();
      if (isLoop && i + 1 >= Math.min(low!, COPIES)) this.#join(copy, copy);
      if (i >= low!) copy = { ...copy, isNullable: true };
      all = this.#sequence(all, copy);
    }
    this.#at = end;
    return { ...all, repeats: all.repeats || high! > 1 };
  }

  #atom(): Part {
    if (++this.#parts > MOST_PARTS) throw new RangeError("a pattern has too many parts");
    if (this.#matches(/\(\?<?[=!]/y)) {
      this.#alternatives();
      this.#takes(")");
      return EMPTY;
    }
    if (this.#matches(/\((?:\?(?:<\w+>|[a-z-]*:))?/y)) {
      const inner = this.#alternatives();
      this.#takes(")");
      return inner;
    }
    if (this.#matches(/[\^$]|\\[bB]/y)) return EMPTY;
    if (this.#matches(/\\(?:[1-9]\d*|k<\w+>)/y)) return this.#position("[^]");
    return this.#position(
      this.#matches(/\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c[a-z]|\\.|./isuy)!,
    );
  }
}

function boundsOf(sign: string): number[] {
  const [low, high = low] = sign.slice(1, -1).split(",");
  return [Number(low), high === "" ? Infinity : Number(high)];
}

/** Steps of the search; a pattern that takes more of them is refused as well. */
const MOST_STEPS = 1 << 20;

/** True for a pattern whose time can grow exponentially with the length of a text. */
export function isExplosive(pattern: RegExp): boolean {
  const { of, next } = new Automaton(pattern);
  let steps = 0;
  /** All that can be reached from `begin`. */
  const reached = (begin: readonly number[], follow: (state: number) => Iterable<number>): Set<number> => {
    const seen = new Set(begin);
    for (const state of seen)
      for (const to of follow(state)) {
        if (++steps > MOST_STEPS) return seen;
        seen.add(to);
      }
    return seen;
  };
  const loops = next.map((to) => reached(to, (at) => next[at]!));
  const count = of.length;
  return (
    steps > MOST_STEPS ||
    loops.some((loop, p) => {
      if (!loop.has(p)) return false;
      const within = next.map((to, at) => (loop.has(at) ? to.filter((each) => loops[each]!.has(p)) : []));
      if (within[p]!.length > new Set(within[p]).size) return true;
      // A state is the positions of two runs, and a bit that says whether they have parted.
      const follow = function* (state: number) {
        const [a, b] = [Math.floor(state / 2 / count), Math.floor(state / 2) % count];
        for (const x of within[a]!)
          for (const y of within[b]!)
            if ((of[x]! & of[y]!) !== 0n) yield 2 * (x * count + y) + (x === y ? state % 2 : 1);
      };
      return reached([2 * (p * count + p)], follow).has(2 * (p * count + p) + 1) || steps > MOST_STEPS;
    })
  );
}
