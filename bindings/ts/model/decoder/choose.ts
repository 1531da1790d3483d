/** One of several texts, by the probability with which a decoder would write each. */
import { refuse } from "../refuse.js";
import type { CancelOptions } from "../text/embed-options.js";
import { Pace } from "../text/pace.js";
import type { ModuleKeyCache } from "./key-cache.js";
import type { Choice } from "./surface.js";

const fn = "choose";

/** Natural logarithm of the softmax of a row of logits, at one id. */
function logProbability(logits: Float32Array, id: number): number {
  const largest = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = logits.reduce((total, each) => total + Math.exp(each - largest), 0);
  return logits[id]! - largest - Math.log(sum);
}

/** How many ids all lists begin with, so that each has one behind them. */
function common(lists: readonly (readonly number[])[]): number {
  const [first, ...others] = lists;
  const most = Math.min(...lists.map((list) => list.length)) - 1;
  let length = 0;
  while (length < most && others.every((list) => list[length] === first![length])) length++;
  return length;
}

export function checkChoices(choices: unknown): readonly string[] {
  if (!Array.isArray(choices)) throw refuse.type(fn, "choices", choices, "an array of texts");
  if (choices.length === 0) throw refuse.range(fn, "choices.length", 0, "at least 1");
  for (const [i, each] of choices.entries()) {
    if (typeof each !== "string") throw refuse.type(fn, `choices[${i}]`, each, "a text");
    if (each === "") throw refuse.range(fn, `choices[${i}]`, each, "a text that is not empty");
  }
  return [...(choices as string[])];
}

/** `lists` are the ids of prompt and choice, and `start` those that all of them surely share. */
export async function choose(
  cache: ModuleKeyCache,
  choices: readonly string[],
  lists: readonly (readonly number[])[],
  start: number,
  { signal }: CancelOptions,
): Promise<Choice[]> {
  const shared = Math.min(start, common(lists));
  const first = await cache.prefill(lists[0]!.slice(0, shared), { signal });
  const pace = new Pace();
  const scores: number[] = [];
  for (const list of lists) {
    await pace.breathe(signal);
    const rest = list.slice(shared);
    let sum = logProbability(first, rest[0]!);
    if (rest.length > 1) {
      const copy = cache.fork();
      const logits = copy.feed(rest.slice(0, -1), { all: true });
      copy.dispose();
      for (let i = 1; i < rest.length; i++)
        sum += logProbability(logits.subarray((i - 1) * first.length, i * first.length), rest[i]!);
    }
    scores.push(sum);
  }
  const best = Math.max(...scores);
  const total = scores.reduce((sum, each) => sum + Math.exp(each - best), 0);
  return choices
    .map((choice, index) => {
      const logProbability = scores[index]!;
      return { choice, index, logProbability, score: Math.exp(logProbability - best) / total };
    })
    .sort((a, b) => b.logProbability - a.logProbability || a.index - b.index);
}
