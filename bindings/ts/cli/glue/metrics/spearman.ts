import { pearson } from "./pearson.js";

/** Ranks from 1; equal values share the mean of the ranks that they take together. */
export function ranks(values: readonly number[]): number[] {
  const order = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  const result = new Array<number>(values.length);
  for (let begin = 0; begin < order.length; ) {
    let end = begin + 1;
    while (end < order.length && values[order[end]!] === values[order[begin]!]) end++;
    for (let i = begin; i < end; i++) result[order[i]!] = (begin + 1 + end) / 2;
    begin = end;
  }
  return result;
}

/** Spearman's correlation: Pearson's of the ranks. */
export const spearman = (expected: readonly number[], found: readonly number[]): number =>
  pearson(ranks(expected), ranks(found));
