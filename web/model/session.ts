import { computed, effect, signal, untracked } from "@preact/signals";
import { type Client, connect } from "../worker/rpc.js";
import type { ModelCalls, ModelFacts, ModelRun } from "./model-calls.js";
import { question } from "./question.js";
import { type Checkpoint, shipped } from "./shipped.js";
import { topK } from "./top-k.js";

export type { Checkpoint };

/** The model that answers now; a new one takes its place only once it is sound. */
export const model = signal<ModelFacts | undefined>(undefined);
export const isShipped = computed(() => model.value?.name === shipped.name);
/** True if it takes the ids of tokens instead of text. */
export const takesIds = computed(() => model.value !== undefined && model.value.words === undefined);
/** While a checkpoint is being read. */
export const opening = signal<{ name: string; own: boolean; loaded: number; total: number | undefined } | undefined>(
  undefined,
);
/** Why the last checkpoint was not taken: the library's own message. */
export const openFailure = signal<{ message: string; own: boolean } | undefined>(undefined);

/** The last sentence that was computed; it stays while the next one is. */
export const run = signal<ModelRun | undefined>(undefined);
export const running = signal(false);
/** True if it was recorded: the model of the page has not answered yet. */
export const isRecorded = computed(() => run.value !== undefined && run.value.milliseconds === undefined);
/** True if it answers another question than the page asks now. */
export const isStale = computed(
  () =>
    running.value ||
    (isRecorded.value && (run.value?.text !== question.text.value || question.rotation.value !== "on")),
);
export const runFailure = signal("");

let client: Client<ModelCalls> | undefined;
/** The source of `model`. */
let source: Checkpoint = shipped;
let cancelling: AbortController | undefined;

function worker(): Client<ModelCalls> {
  client ??= connect<ModelCalls>(
    new Worker(new URL("./model.worker.ts", import.meta.url), { type: "module", name: "ropewalk model" }),
  );
  return client;
}

export async function open(wanted: Checkpoint): Promise<void> {
  cancelling?.abort();
  const controller = new AbortController();
  cancelling = controller;
  const { name } = wanted;
  const own = wanted !== shipped;
  openFailure.value = undefined;
  opening.value = undefined;
  // A model that is read in a moment needs no progress bar that comes and goes.
  const show = () => {
    opening.value = { name, own, loaded: 0, total: undefined };
  };
  const showing = setTimeout(show, model.peek() ? 300 : 0);
  try {
    const rotation = question.rotation.peek() === "on";
    const facts = await worker().call(
      "open",
      { ...wanted, rotation },
      {
        signal: controller.signal,
        onProgress(loaded, total) {
          if (cancelling === controller && opening.peek()) opening.value = { name, own, loaded, total };
        },
      },
    );
    if (cancelling !== controller) return;
    source = wanted;
    model.value = facts;
  } catch (error) {
    if (cancelling !== controller) return;
    const said = error instanceof Error ? error.message : String(error);
    openFailure.value = { own, message: controller.signal.aborted ? `Reading ${name} was cancelled.` : said };
    // Nothing can answer: what was recorded goes, too.
    if (!model.peek()) run.value = undefined;
  } finally {
    clearTimeout(showing);
    if (cancelling === controller) {
      cancelling = undefined;
      opening.value = undefined;
    }
  }
}

export const openShipped = () => open(shipped);
export const cancelOpening = () => cancelling?.abort();

let started = false;
/** Called when the RoFormer page is first shown: loads the shipped model, and computes whenever text or model change. */
export function startSession(): void {
  if (started) return;
  started = true;
  // At once, and again whenever the rotation is switched.
  effect(() => {
    void question.rotation.value;
    void untracked(() => open(source));
  });
  let last: AbortController | undefined;
  effect(() => {
    const text = question.text.value;
    if (!model.value) return;
    last?.abort();
    const controller = new AbortController();
    last = controller;
    // A short rest, so that a sentence is not computed for every letter.
    const timer = setTimeout(() => void compute(text, controller), run.peek() ? 120 : 0);
    return () => clearTimeout(timer);
  });
}

/** Shows the recorded run of a text, if the page asks for that and its own model has not answered. */
export function showRecorded(recorded: ModelRun): void {
  if (run.peek() || openFailure.peek()) return;
  if (recorded.text === question.text.peek() && question.rotation.peek() === "on") run.value = recorded;
}

async function compute(text: string, controller: AbortController): Promise<void> {
  running.value = true;
  try {
    const result = await worker().call("run", { text, topK }, { signal: controller.signal });
    if (controller.signal.aborted) return;
    run.value = result;
    runFailure.value = "";
  } catch (error) {
    if (controller.signal.aborted) return;
    runFailure.value = error instanceof Error ? error.message : String(error);
  }
  running.value = false;
}
