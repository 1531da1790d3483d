/** From the model's numbers to answers in words, as Hugging Face's pipelines give them. */
import type { Json } from "../files/read.js";
import type { Framed, Offsets } from "./encoded.js";
import { exactExp } from "./exact-exp.js";
import type { Tokenizer } from "./tokenizer.js";

/** A word for a mask. */
export interface MaskFilling {
  /** Probability, 0 to 1, among all words. */
  score: number;
  /** Id of the token. */
  token: number;
  /** The token as text, without the spaces around it. */
  tokenStr: string;
  /** The text with this token in place of the mask. */
  sequence: string;
}

/** A label of a classifier. */
export interface ClassScore {
  /** Name of the label, as `id2label` of config.json gives it. */
  label: string;
  /** Probability, 0 to 1; of a regression the value. */
  score: number;
}

/** The label of a token. */
export interface TokenClass extends ClassScore {
  /** Index of the token in `encode(text)`. */
  index: number;
  /** As the tokenizer has it: `##ing` continues a word. */
  token: string;
  /** With `offsets: true`: its offsets in the text. */
  offsets?: Offsets;
}

/** A stretch of the context that answers a question. */
export interface Answer {
  /** The tokens as text again, so in lower case where the tokenizer makes it so. */
  text: string;
  /** Probability of the first token times that of the last, each among the tokens of the context. */
  score: number;
  /** Index in `encode(question, context)` of its first token. */
  start: number;
  /** Index of its last token. */
  end: number;
  /** With `offsets: true`: its offsets in the context, which has it as it was written. */
  offsets?: Offsets;
}

/** A choice, and how likely it is among all. */
export interface ChoiceScore {
  /** The text that was given. */
  choice: string;
  /** Index in the array that was given. */
  index: number;
  /** Probability among the choices, 0 to 1. */
  score: number;
}

export function softmax(logits: Float32Array): Float64Array {
  const most = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = Float64Array.from(logits, (logit) => exactExp(logit - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** Indices of the `count` largest values, the largest first, equal ones in their order. */
function largest(values: Float64Array, count: number): number[] {
  const isBefore = (a: number, b: number) => values[a]! > values[b]! || (values[a]! === values[b]! && a < b);
  // All of a vocabulary is sorted only when all of it is asked for.
  if (count * 16 > values.length)
    return Array.from(values.keys())
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
      .slice(0, count);
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (found.length === count && !isBefore(i, found[count - 1]!)) continue;
    let at = Math.min(found.length, count - 1);
    while (at > 0 && isBefore(i, found[at - 1]!)) {
      found[at] = found[at - 1]!;
      at--;
    }
    found[at] = i;
  }
  return found;
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

const sigmoid = (x: number): number => {
  const e = exactExp(-Math.abs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
};

/** `config` may name the classes in `id2label`. Several labels may hold at once when its `problem_type` says so. */
export function classScores(logits: Float32Array, config: Json): ClassScore[] {
  const independent = logits.length === 1 || config.problem_type === "multi_label_classification";
  let scores: Float64Array;
  if (config.problem_type === "regression") scores = Float64Array.from(logits);
  else scores = independent ? Float64Array.from(logits, sigmoid) : softmax(logits);
  return largest(scores, scores.length).map((at) => ({ label: labelOf(config, at), score: scores[at]! }));
}

function labelOf(config: Json, at: number): string {
  const labels = (config.id2label ?? {}) as Record<string, unknown>;
  return String(labels[at] ?? `LABEL_${at}`);
}

/** `logits` is [S, labels]. */
export function tokenClasses({ encoded, first }: Framed, logits: Float32Array, config: Json): TokenClass[] {
  const { inputIds, tokens, offsets } = encoded;
  const width = logits.length / inputIds.length;
  return inputIds.flatMap((_, index) => {
    if (index < first[0] || index >= first[1]) return [];
    const scores = softmax(logits.subarray(index * width, (index + 1) * width));
    const [best] = largest(scores, 1);
    const found = offsets && { offsets: offsets[index]! };
    return [{ index, token: tokens[index]!, label: labelOf(config, best!), score: scores[best!]!, ...found }];
  });
}

/** `starts` and `ends` are [S]. The answer lies in the second text. */
export function answers(
  tokenizer: Tokenizer,
  { encoded, second = [0, 0] }: Framed,
  starts: Float32Array,
  ends: Float32Array,
  topK: number,
  maxTokens: number,
): Answer[] {
  const { inputIds, offsets } = encoded;
  const [first, last] = second;
  const [start, end] = [softmax(starts.subarray(first, last)), softmax(ends.subarray(first, last))];
  const found: { score: number; from: number; to: number }[] = [];
  start.forEach((before, from) => {
    for (let to = from; to < Math.min(end.length, from + maxTokens); to++)
      found.push({ score: before * end[to]!, from: first + from, to: first + to });
  });
  found.sort((a, b) => b.score - a.score || a.from - b.from || a.to - b.to);
  return found.slice(0, topK).map(({ score, from, to }) => ({
    text: tokenizer.decode(inputIds.slice(from, to + 1), true),
    score,
    start: from,
    end: to,
    ...(offsets && { offsets: [offsets[from]![0], offsets[to]![1]] as Offsets }),
  }));
}

/** One logit for each choice. */
export function choiceScores(choices: readonly string[], logits: Float32Array): ChoiceScore[] {
  const scores = softmax(logits);
  return largest(scores, scores.length).map((index) => ({ choice: choices[index]!, index, score: scores[index]! }));
}
