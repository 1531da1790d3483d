/** Texts of the same length side by side: their products are larger, and nothing is padded. */

export interface Tokens {
  inputIds: readonly number[];
  tokenTypeIds: readonly number[];
  attentionMask: readonly number[];
}

/** Indices by length, the shortest first; equal ones in their own order. */
export function byLength(all: readonly Tokens[]): number[] {
  return Array.from(all.keys()).sort((a, b) => all[a]!.inputIds.length - all[b]!.inputIds.length || a - b);
}

/** The next indices from `at` on that have the same length, `most` of them at most. */
export function groupAt(all: readonly Tokens[], order: readonly number[], at: number, most: number): number[] {
  const length = all[order[at]!]!.inputIds.length;
  let end = at + 1;
  while (end < order.length && end < at + most && all[order[end]!]!.inputIds.length === length) end++;
  return order.slice(at, end);
}

/** A batch without padding; it has a mask only where tokens are hidden from others. */
export function batchOf(texts: readonly Tokens[]): {
  inputIds: Int32Array;
  tokenTypeIds: Int32Array;
  attentionMask?: Int32Array;
  batch: number;
  sequence: number;
} {
  const sequence = texts[0]!.inputIds.length;
  const inputIds = new Int32Array(texts.length * sequence);
  const tokenTypeIds = new Int32Array(texts.length * sequence);
  texts.forEach((text, i) => {
    inputIds.set(text.inputIds, i * sequence);
    tokenTypeIds.set(text.tokenTypeIds, i * sequence);
  });
  const masks = texts.flatMap(({ attentionMask }) => attentionMask);
  const attentionMask = masks.includes(0) ? { attentionMask: Int32Array.from(masks) } : {};
  return { inputIds, tokenTypeIds, ...attentionMask, batch: texts.length, sequence };
}
