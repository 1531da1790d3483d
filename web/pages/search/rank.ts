/** Cosines nearer than this are equal: float32 sums of the same numbers in another order differ by less. */
export const TIE = 1e-5;

export interface Ranking {
  /** Indices, best first; equal ones in their own order. */
  readonly order: readonly number[];
  /** By index, from 1; equal ones share the best. */
  readonly ranks: readonly number[];
}

export function rankingOf(scores: ArrayLike<number>): Ranking {
  const order = Array.from({ length: scores.length }, (_, i) => i).sort((a, b) => scores[b]! - scores[a]! || a - b);
  const ranks: number[] = [];
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && scores[order[to - 1]!]! - scores[order[to]!]! < TIE) to++;
    const tied = order.slice(from, to).sort((a, b) => a - b);
    for (const [i, index] of tied.entries()) {
      order[from + i] = index;
      ranks[index] = from + 1;
    }
    from = to;
  }
  return { order, ranks };
}
