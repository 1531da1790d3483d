import { computed, effect, signal } from "@preact/signals";
import { openable } from "../../model/openable.js";
import { whileShown } from "../../model/text.js";
import { messageOf } from "../../text/message.js";
import type { Pair, SearchCalls } from "./calls.js";
import { recordedCosines } from "./opening.js";
import { rankingOf } from "./rank.js";
import { state } from "./state.js";
import { linesOf } from "./texts.js";

export const shippedFolder = new URL("embedder/", document.baseURI).href;

interface Progress {
  readonly done: number;
  readonly total: number | undefined;
}
type Way = "on" | "off";

/** The last search, and the cosines in either way; it stays while the next is computed. */
export interface Found {
  readonly query: string;
  readonly texts: readonly string[];
  readonly unknown: readonly string[];
  readonly unknownTexts: number;
  readonly cosines: Readonly<Partial<Record<Way, Float32Array>>>;
  /** True for the answer that comes with the page, shown until the model has been read. */
  readonly recorded: boolean;
}
export const found = signal<Found | undefined>(undefined);
/** True once what is shown was computed here. */
export const live = computed(() => found.value?.recorded === false);
export const embedding = signal<Progress | undefined>(undefined);
export const failure = signal("");
export const cancelled = signal(false);
export const pair = signal<Pair | undefined>(undefined);

/** The worker that holds the encoder. */
export const reader = openable<SearchCalls>({
  look: "search",
  shipped: { shipped: shippedFolder },
  worker: () => new Worker(new URL("./search.worker.ts", import.meta.url), { type: "module", name: "ropewalk search" }),
  take(opened) {
    if (!opened.rotates) state.rotation.value = "on";
    // The recorded answer is this model's own.
    if (!(opened.shipped && found.peek()?.recorded)) found.value = undefined;
    model.value = opened;
  },
  fail() {
    if (!model.peek()) found.value = undefined;
  },
});
export const { model, failure: openFailure } = reader;

export const texts = computed(() => linesOf(state.texts.value));
export const query = whileShown("search", () => state.q.value.trim());

let searching: AbortController | undefined;
export function cancelSearch(): void {
  searching?.abort();
  cancelled.value = true;
}
/** Counts requests to resume a search that was cancelled. */
const resumed = signal(0);
export function resume(): void {
  resumed.value++;
}

async function searchBoth(asked: string, of: readonly string[], both: boolean, signal: AbortSignal): Promise<void> {
  let cosines: Found["cosines"] = {};
  for (const way of both ? (["on", "off"] as const) : (["on"] as const)) {
    const onProgress = (done: number, total?: number) => {
      if (!signal.aborted) embedding.value = { done, total };
    };
    const args = { query: asked, texts: of, rotation: way === "on" };
    const scores = await reader.worker().call("search", args, { signal, onProgress });
    if (signal.aborted) return;
    cosines = { ...cosines, [way]: scores.cosines };
    // Both ways are shown at once, so that a result does not move twice.
    if (way === "off" || !both) {
      found.value = {
        query: asked,
        texts: of,
        unknown: scores.unknown,
        unknownTexts: scores.unknownTexts,
        cosines,
        recorded: false,
      };
    }
  }
}

// Anew whenever query, texts or model change; an older search is given up.
effect(() => {
  const [asked, of, with_] = [query.value, texts.value, model.value];
  resumed.value;
  cancelled.value = false;
  if (!with_ && !openFailure.peek()) {
    const cosines = recordedCosines(asked, of);
    if (cosines) found.value = { query: asked, texts: of, unknown: [], unknownTexts: 0, cosines, recorded: true };
  }
  if (!asked || of.length === 0) {
    // The results belong to a question that is gone.
    if (found.peek()) found.value = undefined;
    return;
  }
  if (!with_) return;
  const controller = new AbortController();
  searching = controller;
  // A short rest, so that a query is not searched for every letter; the first has nothing to wait for.
  const rest = live.peek() ? 200 : 0;
  const timer = setTimeout(async () => {
    failure.value = "";
    try {
      await searchBoth(asked, of, with_.rotates, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) failure.value = messageOf(error);
    } finally {
      if (searching === controller) embedding.value = undefined;
    }
  }, rest);
  return () => {
    controller.abort();
    clearTimeout(timer);
  };
});

/** The cosines of the chosen way, with their ranking. */
export const results = computed(() => {
  const all = found.value;
  const cosines = all?.cosines[state.rotation.value] ?? all?.cosines.on;
  return all && cosines && { ...all, cosines, ranking: rankingOf(cosines) };
});

/** The text that is open. */
export const opened = computed(() => found.value?.texts[state.open.value]);

effect(() => {
  const [all, text, rotation] = [found.value, opened.value, state.rotation.value === "on"];
  if (!all || text === undefined || !model.value) {
    pair.value = undefined;
    return;
  }
  const controller = new AbortController();
  void reader
    .worker()
    .call("compare", { query: all.query, text, rotation }, { signal: controller.signal })
    .then(
      (compared) => {
        if (!controller.signal.aborted) pair.value = compared;
      },
      (error: unknown) => {
        if (!controller.signal.aborted) failure.value = messageOf(error);
      },
    );
  return () => controller.abort();
});
