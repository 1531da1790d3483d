/** From the model's numbers to answers in words, as Hugging Face's pipelines give them. */
import type { Tokenizer } from "./tokenizer.js";

export interface MaskFilling {
  /** Probability. */
  score: number;
  token: number;
  tokenStr: string;
  /** The text with this token in the mask's place. */
  sequence: string;
}

export interface ClassScore {
  label: string;
  /** Probability. */
  score: number;
}

function softmax(logits: Float32Array): Float64Array {
  const most = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = Float64Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** Places of the `count` largest values, the largest first. */
function largest(values: Float64Array, count: number): number[] {
  const order = Array.from(values.keys()).sort((a, b) => values[b]! - values[a]! || a - b);
  return order.slice(0, count);
}

/** `logits` is [S, vocabulary] for the S ids. */
export function maskFillings(tokenizer: Tokenizer, ids: number[], logits: Float32Array, topK: number): MaskFilling[][] {
  const vocabulary = logits.length / ids.length;
  const masks = ids.flatMap((id, at) => (id === tokenizer.maskId ? [at] : []));
  return masks.map((at) => {
    const scores = softmax(logits.subarray(at * vocabulary, (at + 1) * vocabulary));
    return largest(scores, topK).map((token) => ({
      score: scores[token]!,
      token,
      tokenStr: tokenizer.decode([token], false),
      // With several masks the others stay visible.
      sequence: tokenizer.decode(
        ids.map((id, i) => (i === at ? token : id)),
        masks.length === 1,
      ),
    }));
  });
}

/** Mean of `count` rows, scaled to length 1. */
export function meanPooled(rows: Float32Array, count: number): Float32Array {
  const width = rows.length / count;
  const sum = new Float64Array(width);
  rows.forEach((value, i) => {
    sum[i % width]! += value;
  });
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length));
}

/** `config` may name the classes in `id2label`. Several labels may hold at once when its `problem_type` says so. */
export function classScores(logits: Float32Array, config: Readonly<Record<string, unknown>>): ClassScore[] {
  const independent = logits.length === 1 || config.problem_type === "multi_label_classification";
  const scores = independent ? Float64Array.from(logits, (x) => 1 / (1 + Math.exp(-x))) : softmax(logits);
  const labels = (config.id2label ?? {}) as Record<string, unknown>;
  return largest(scores, scores.length).map((at) => ({
    label: String(labels[at] ?? `LABEL_${at}`),
    score: scores[at]!,
  }));
}
