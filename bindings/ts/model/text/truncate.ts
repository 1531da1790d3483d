/** Texts that are longer than a model takes, cut as Hugging Face's tokenizers cut them: special tokens stay. */
import type { Framed } from "./encoded.js";

/** How many tokens of each text stay of the `kept` tokens of both: the longer one is cut first, then both to the same length. */
function longestFirst(first: number, second: number, kept: number): [number, number] {
  const shorter = Math.min(first, second);
  let [a, b] = [shorter, shorter > kept ? shorter : Math.max(shorter, kept - shorter)];
  if (a + b > kept) {
    a = Math.floor(kept / 2);
    b = a + (kept % 2);
  }
  return first > second ? [b, a] : [a, b];
}

/** A text or pair cut to at most `most` tokens. */
export function truncated(framed: Framed, most: number): Framed {
  const { encoded, first, second } = framed;
  const { offsets } = encoded;
  const length = encoded.inputIds.length;
  if (length <= most) return framed;
  const [a, b] = [first[1] - first[0], second === undefined ? 0 : second[1] - second[0]];
  const kept = Math.max(0, most - (length - a - b));
  const [keepA, keepB] = second === undefined ? [kept, 0] : longestFirst(a, b, kept);
  const cut = <T>(values: readonly T[]): T[] => {
    const start = values.slice(0, first[0] + keepA);
    if (second === undefined) return [...start, ...values.slice(first[1])];
    return [...start, ...values.slice(first[1], second[0] + keepB), ...values.slice(second[1])];
  };
  const end = first[0] + keepA;
  return {
    encoded: {
      inputIds: cut(encoded.inputIds),
      tokenTypeIds: cut(encoded.tokenTypeIds),
      attentionMask: cut(encoded.attentionMask),
      tokens: cut(encoded.tokens),
      ...(offsets && { offsets: cut(offsets) }),
    },
    first: [first[0], end],
    ...(second && { second: [end + second[0] - first[1], end + second[0] - first[1] + keepB] as const }),
  };
}

/** True if the last text may be the beginning of a longer one: cut to `most` tokens, both give the same. */
export function isEnough({ encoded, first, second }: Framed, most: number): boolean {
  const [a, b] = [first[1] - first[0], second === undefined ? 0 : second[1] - second[0]];
  const kept = most - (encoded.inputIds.length - a - b);
  return second === undefined ? a > kept : a <= kept && b > kept;
}
