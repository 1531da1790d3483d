import type { Guess } from "./model-calls.js";

/** Words by their ids, from tokenizer.json, parsed, or the lines of vocab.txt. */
export function vocabularyOf(tokenizer: object | string): readonly string[] {
  if (typeof tokenizer === "string") return tokenizer.trimEnd().split(/\r?\n/);
  const { model, added_tokens: added = [] } = tokenizer as {
    readonly model?: { readonly vocab?: Readonly<Record<string, number>> };
    readonly added_tokens?: ReadonlyArray<{ readonly id: number; readonly content: string }>;
  };
  const words: string[] = [];
  for (const [word, id] of Object.entries(model?.vocab ?? {})) words[id] = word;
  for (const { id, content } of added) words[id] = content;
  return words;
}

/** The words of the greatest logits [S, V] at each place, with their share of the softmax. */
export function guessesOf(
  logits: Float32Array,
  tokens: number,
  words: readonly string[],
  count: number,
): ReadonlyArray<readonly Guess[]> {
  const size = logits.length / tokens;
  return Array.from({ length: tokens }, (_, token) => {
    const row = logits.subarray(token * size, (token + 1) * size);
    const best: number[] = [];
    for (let id = 0; id < size; id++) {
      if (best.length === count && row[id]! <= row[best[count - 1]!]!) continue;
      const before = best.findIndex((other) => row[id]! > row[other]!);
      best.splice(before < 0 ? best.length : before, 0, id);
      best.length = Math.min(best.length, count);
    }
    const greatest = row[best[0]!]!;
    let sum = 0;
    for (const value of row) sum += Math.exp(value - greatest);
    return best.map((id) => ({
      token: words[id] ?? `token ${id}`,
      logit: row[id]!,
      probability: Math.exp(row[id]! - greatest) / sum,
    }));
  });
}
