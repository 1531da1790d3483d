/** Maps of a model's head for the words at their own positions, and at others. */
import type { Encoder } from "ropewalk";
import type { EncodingAnswer, View, ViewName } from "./calls.js";
import { reach } from "./sizes.js";

export const viewNames: readonly ViewName[] = ["as-is", "shifted", "mirrored", "stretched"];
const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The position of each word. */
export function placesOf(view: ViewName, count: number, shift: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    view === "shifted" ? i + shift : view === "mirrored" ? count - 1 - i : view === "stretched" ? 2 * i : i,
  );
}

/** One head of the first layer, [T, T]; nobody sees the places that hold no word. */
function headOf(model: Encoder, ids: readonly number[], head: number) {
  const size = ids.length;
  const attentionMask = ids.map((id) => Number(id > 0));
  const { scores, attentions } = model.forward(
    { inputIds: ids, attentionMask, sequence: size },
    { logits: false, scores: true, attentions: true },
  );
  const of = (layers: Float32Array[] | undefined) => layers![0]!.subarray(head * size * size, (head + 1) * size * size);
  return { scores: of(scores), attention: of(attentions) };
}

/** The words at their places, and their scores put back in the order of the words. */
export function viewOf(model: Encoder, words: readonly number[], places: readonly number[], head: number): View {
  const size = Math.max(...places) + 1;
  const ids = new Array<number>(size).fill(0);
  for (const [i, word] of words.entries()) ids[places[i]!] = word;
  const whole = headOf(model, ids, head);
  const count = words.length;
  const pick = (from: Float32Array) =>
    Float32Array.from({ length: count * count }, (_, at) => {
      const [i, j] = [Math.floor(at / count), at % count];
      return from[places[i]! * size + places[j]!]!;
    });
  return { scores: pick(whole.scores), attention: pick(whole.attention) };
}

/** The same query in the middle, the same key at every other place. */
export function curveOf(model: Encoder, [query, key]: readonly [number, number], head: number): Float32Array {
  // Its middle is no score of the pair: two words at one place are more than a sequence can hold.
  const ids = new Array<number>(2 * reach + 1).fill(key);
  ids[reach] = query;
  const size = ids.length;
  return headOf(model, ids, head).scores.slice(reach * size, (reach + 1) * size);
}

export function answerOf(
  model: Encoder,
  encoding: EncodingAnswer["encoding"],
  words: readonly number[],
  head: number,
  shift: number,
  pair: readonly [number, number],
): EncodingAnswer {
  const views: Partial<Record<ViewName, View>> = {};
  const refusals: Partial<Record<ViewName, string>> = {};
  for (const view of viewNames) {
    try {
      views[view] = viewOf(model, words, placesOf(view, words.length, shift), head);
    } catch (error) {
      refusals[view] = message(error);
    }
  }
  return { encoding, views, refusals, curve: curveOf(model, pair, head) };
}
