import { computed, effect, signal } from "@preact/signals";
import { shownPage } from "../../state/address.js";
import { messageOf } from "../../text/message.js";
import type { EncodingAnswer, ViewName } from "./calls.js";
import { type EncodingName, encodingNames } from "./kinds.js";
import { questionOf, wordsOf } from "./question.js";
import { recordedAnswers } from "./recorded.js";
import { state } from "./state.js";
import { worker } from "./worker.js";

export const words = computed(() => wordsOf(state.words.value));

/** A text that became shorter pulls what is read back in. */
const within = (index: number) => Math.min(index, words.value.length - 1);
export const from = computed(() => within(state.from.value));
export const to = computed(() => within(state.to.value));

export interface Answers {
  readonly words: readonly string[];
  readonly of: Readonly<Record<EncodingName, EncodingAnswer>>;
}
export const answers = signal<Answers | undefined>(undefined);
/** True if the worker has answered the present question. */
export const live = signal(false);
/** How many of the encodings have answered, once that takes a while. */
export const waiting = signal<number | undefined>(undefined);
export const failure = signal("");
/** True if the answers are recorded ones. */
export const recorded = signal(false);

function show(list: readonly string[], found: readonly EncodingAnswer[]): void {
  answers.value = {
    words: list,
    of: Object.fromEntries(found.map((each) => [each.encoding, each])) as Answers["of"],
  };
}

/** Asks the worker whenever something that counts has changed; an older question is given up. */
effect(() => {
  if (shownPage.value !== "encodings") return;
  const list = words.value;
  const { seed, head, shift } = state;
  const question = questionOf({
    words: list,
    seed: seed.value,
    head: head.value,
    shift: shift.value,
    from: from.value,
    to: to.value,
  });
  const controller = new AbortController();
  const { signal: aborted } = controller;
  // Recorded answers are shown until the worker has its own; where they cannot be had, it is waited for.
  const known = recordedAnswers(question);
  known?.then(
    (found) => {
      if (aborted.aborted || live.peek()) return;
      recorded.value = true;
      show(list, found);
    },
    () => {},
  );
  live.value = false;
  const showing = setTimeout(() => {
    if (!known) waiting.value ??= 0;
  }, 300);
  const asking = setTimeout(
    async () => {
      try {
        const found = await worker().call("encodings", question, {
          signal: aborted,
          onProgress: (done) => {
            if (!aborted.aborted && waiting.peek() !== undefined) waiting.value = done;
          },
        });
        if (aborted.aborted) return;
        failure.value = "";
        live.value = true;
        recorded.value = false;
        show(list, found);
      } catch (error) {
        if (!aborted.aborted) failure.value = messageOf(error);
      } finally {
        if (!aborted.aborted) {
          clearTimeout(showing);
          waiting.value = undefined;
        }
      }
    },
    answers.peek() ? 60 : 0,
  );
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
/** Less is rounding in float32. */
export const rounding = 1e-4;
/** The size that 98 % of all scores, or of their changes, stay within. One colour means one number in every map. */
export const scoreSize = computed(() => {
  const sizes = encodingNames
    .flatMap((name) => Array.from(mapOf(answers.value?.of[name]) ?? [], Math.abs))
    .filter((size) => size > rounding)
    .sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length * 0.98)] ?? 0.01;
});

/** How much the scores of the same words change in another view; undefined where the library refuses it. */
export function change(answer: EncodingAnswer, view: ViewName): number | undefined {
  const [before, after] = [answer.views["as-is"]?.scores, answer.views[view]?.scores];
  return before && after?.reduce((most, value, i) => Math.max(most, Math.abs(value - before[i]!)), 0);
}
