/** Examples in batches, and their order from a seed. */
import type { EncoderInput } from "../../index.js";
import type { Example } from "./examples.js";

/** Padded to the longest. */
export function inputOf(examples: readonly Example[]): EncoderInput {
  const sequence = Math.max(...examples.map(({ ids }) => ids.length));
  const padded = (of: (example: Example) => readonly number[]) =>
    examples.flatMap((example) => {
      const values = of(example);
      return [...values, ...new Array<number>(sequence - values.length).fill(0)];
    });
  return {
    inputIds: padded(({ ids }) => ids),
    tokenTypeIds: padded(({ types }) => types),
    attentionMask: padded(({ ids }) => ids.map(() => 1)),
    batch: examples.length,
    sequence,
  };
}

export function* batchesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Numbers from 0 to below 1: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Fisher and Yates's. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
