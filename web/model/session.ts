import { computed, effect, signal } from "@preact/signals";
import { messageOf } from "../text/message.js";
import type { ModelCalls, ModelRun } from "./model-calls.js";
import { chosen, type Openable, openable } from "./openable.js";
import { question } from "./question.js";
import { shippedFolder } from "./shipped.js";
import { whileShown } from "./text.js";
import { topK } from "./top-k.js";

export const reader: Openable<ModelCalls> = openable<ModelCalls>({
  look: "roformer",
  shipped: { shipped: shippedFolder },
  worker: () => new Worker(new URL("./model.worker.ts", import.meta.url), { type: "module", name: "ropewalk model" }),
  way: () => ({ rotation: question.rotation.peek() === "on" }),
  fail() {
    // Nothing can answer: what was recorded goes, too.
    if (!model.peek()) run.value = undefined;
  },
  patience: () => (model.peek() ? 300 : 0),
});
export const { model, opening, failure: openFailure } = reader;

/** True if it takes the ids of tokens instead of text. */
export const takesIds = computed(() => model.value !== undefined && model.value.words === undefined);

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

const asked = whileShown("roformer", () => question.text.value);
let started = false;
/** Called when the RoFormer page is first shown: loads its model, and computes whenever text or model change. */
export function startSession(): void {
  if (started) return;
  started = true;
  reader.start();
  let rotation = question.rotation.peek();
  effect(() => {
    const before = rotation;
    rotation = question.rotation.value;
    if (rotation !== before) reader.reopen();
  });
  let last: AbortController | undefined;
  effect(() => {
    const text = asked.value;
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
  if (run.peek() || openFailure.peek() || chosen.peek()) return;
  if (recorded.text === question.text.peek() && question.rotation.peek() === "on") run.value = recorded;
}

async function compute(text: string, controller: AbortController): Promise<void> {
  running.value = true;
  try {
    const result = await reader.worker().call("run", { text, topK }, { signal: controller.signal });
    if (controller.signal.aborted) return;
    run.value = result;
    runFailure.value = "";
  } catch (error) {
    if (controller.signal.aborted) return;
    runFailure.value = messageOf(error);
  }
  running.value = false;
}
