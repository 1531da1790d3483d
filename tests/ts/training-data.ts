/** Tiny tasks from a seed that only order tells, and a tiny model to learn them. */
import type { TrainerBatch } from "ropewalk";
import { random as fractions } from "./safetensors-file.js";

export type LabelledBatch = TrainerBatch & { labels: number[] };

export const tiny = (changes: object = {}): object => ({
  vocab_size: 12,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 64,
  hidden_dropout_prob: 0,
  attention_probs_dropout_prob: 0,
  initializer_range: 0.1,
  max_position_embeddings: 32,
  ...changes,
});

/** Whole numbers below a bound. */
export function random(seed: number): (below: number) => number {
  const next = fractions(seed);
  return (below) => Math.floor(next() * below);
}

/** Token 1 marks a place; what stands left of it is asked for at its right: `x 1 _`. */
export function copyLeft(next: (below: number) => number, batch: number): LabelledBatch {
  const sequence = 8;
  const inputIds: number[] = [];
  const labels: number[] = [];
  for (let b = 0; b < batch; b++) {
    const row = Array.from({ length: sequence }, () => 2 + next(10));
    const asked = new Array<number>(sequence).fill(-100);
    const at = 1 + next(sequence - 2);
    row[at] = 1;
    asked[at + 1] = row[at - 1]!;
    row[at + 1] = 0;
    inputIds.push(...row);
    labels.push(...asked);
  }
  return { inputIds, batch, sequence, labels };
}

/** Class 0 when 2 stands before 3, class 1 otherwise. */
export function whichFirst(next: (below: number) => number, batch: number): LabelledBatch {
  const sequence = 6;
  const inputIds: number[] = [];
  const labels: number[] = [];
  for (let b = 0; b < batch; b++) {
    const row = [0, 5, 5, 5, 5, 5];
    const two = 1 + next(5);
    let three = 1 + next(5);
    if (two === three) three = (two % 5) + 1;
    row[two] = 2;
    row[three] = 3;
    inputIds.push(...row);
    labels.push(two < three ? 0 : 1);
  }
  return { inputIds, batch, sequence, labels };
}
