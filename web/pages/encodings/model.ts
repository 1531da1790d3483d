import { computed, effect, signal } from "@preact/signals";
import { shownPage } from "../../state/address.js";
import { messageOf } from "../../text/message.js";
import type { EncodingAnswer, ViewName } from "./calls.js";
import { type EncodingName, encodingNames } from "./kinds.js";
import { mostWords } from "./sizes.js";
import { state } from "./state.js";
import { worker } from "./worker.js";

export const words = computed(() => {
  const given = state.words.value.split(/\s+/).filter(Boolean).slice(0, mostWords);
  return given.length > 1 ? given : [...given, ...["rope", "walk"].slice(given.length)];
});
/** From 1, in the order in which words first appear. */
export function idsOf(list: readonly string[]): number[] {
  const known = [...new Set(list)];
  return list.map((word) => known.indexOf(word) + 1);
}

/** A text that became shorter pulls what is read back in. */
const within = (index: number) => Math.min(index, words.value.length - 1);
export const from = computed(() => within(state.from.value));
export const to = computed(() => within(state.to.value));

export interface Answers {
  readonly words: readonly string[];
  readonly of: Readonly<Record<EncodingName, EncodingAnswer>>;
}
export const answers = signal<Answers | undefined>(undefined);
/** How many of the encodings have answered, once that takes a while. */
export const waiting = signal<number | undefined>(undefined);
export const failure = signal("");

/** Asks the worker whenever something that counts has changed; an older question is given up. */
effect(() => {
  if (shownPage.value !== "encodings") return;
  const list = words.value;
  const ids = idsOf(list);
  const question = {
    encodings: encodingNames,
    words: ids,
    seed: state.seed.value,
    head: state.head.value,
    shift: state.shift.value,
    pair: [ids[from.value]!, ids[to.value]!],
  } as const;
  const controller = new AbortController();
  const { signal: aborted } = controller;
  const showing = setTimeout(() => {
    waiting.value ??= 0;
  }, 300);
  const asking = setTimeout(async () => {
    try {
      const found = await worker().call("encodings", question, {
        signal: aborted,
        onProgress: (done) => {
          if (!aborted.aborted && waiting.peek() !== undefined) waiting.value = done;
        },
      });
      if (aborted.aborted) return;
      failure.value = "";
      answers.value = {
        words: list,
        of: Object.fromEntries(found.map((each) => [each.encoding, each])) as Answers["of"],
      };
    } catch (error) {
      if (!aborted.aborted) failure.value = messageOf(error);
    } finally {
      if (!aborted.aborted) {
        clearTimeout(showing);
        waiting.value = undefined;
      }
    }
  }, 60);
  return () => {
    controller.abort();
    clearTimeout(showing);
    clearTimeout(asking);
  };
});

export const previewEncoding = signal<EncodingName | undefined>(undefined);
export const shownEncoding = computed(() => previewEncoding.value ?? state.encoding.value);

/** The map of an encoding, [T, T]; undefined where the library refuses. */
export function mapOf(answer: EncodingAnswer | undefined): Float32Array | undefined {
  const view = answer?.views[state.view.value];
  if (state.show.value !== "change") return view?.[state.show.value];
  const typed = answer?.views["as-is"]?.scores;
  return typed && view?.scores.map((value, i) => value - typed[i]!);
}
/** True if maps hold numbers of both signs, rather than probabilities. */
export const signed = computed(() => state.show.value !== "attention");
/** The largest size of a score, or of its change, in any map, so that one colour means one number everywhere. */
export const scoreSize = computed(() => {
  // Changes by rounding have no colour.
  let most = state.show.value === "change" ? 0.01 : 1e-6;
  if (signed.value) {
    for (const name of encodingNames) {
      for (const value of mapOf(answers.value?.of[name]) ?? []) most = Math.max(most, Math.abs(value));
    }
  }
  return most;
});

/** How much the scores of the same words change in another view; undefined where the library refuses it. */
export function change(answer: EncodingAnswer, view: ViewName): number | undefined {
  const [before, after] = [answer.views["as-is"]?.scores, answer.views[view]?.scores];
  return before && after?.reduce((most, value, i) => Math.max(most, Math.abs(value - before[i]!)), 0);
}
/** Less is rounding in float32. */
export const rounding = 1e-4;
