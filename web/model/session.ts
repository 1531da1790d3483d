import { computed, effect, signal, untracked } from "@preact/signals";
import { messageOf } from "../text/message.js";
import type { CheckpointSource, ModelCalls, ModelRun } from "./model-calls.js";
import { type Openable, openable } from "./openable.js";
import { question } from "./question.js";
import { type Checkpoint, shipped } from "./shipped.js";
import { whileShown } from "./text.js";
import { topK } from "./top-k.js";

export type { Checkpoint };

/** The source of `model`. */
let source: Checkpoint = shipped;

const reader: Openable<ModelCalls> = openable<ModelCalls>({
  worker: () => new Worker(new URL("./model.worker.ts", import.meta.url), { type: "module", name: "ropewalk model" }),
  take(facts, { rotation: _, ...taken }) {
    source = taken;
    model.value = facts;
  },
  fail() {
    // Nothing can answer: what was recorded goes, too.
    if (!model.peek()) run.value = undefined;
  },
  cancelled: ({ name }) => `Reading ${name} was cancelled.`,
  patience: () => (model.peek() ? 300 : 0),
});
const { model } = reader;

export { model };
export const cancelOpening = reader.cancel;

export const isShipped = computed(() => model.value?.name === shipped.name);
/** True if it takes the ids of tokens instead of text. */
export const takesIds = computed(() => model.value !== undefined && model.value.words === undefined);
const isOwn = (from: CheckpointSource | undefined) => from?.weights !== shipped.weights;
/** While a checkpoint is being read: its name, and whether it is the visitor's. */
export const opening = computed(() => {
  const now = reader.opening.value;
  return now && { ...now, name: now.source.name, own: isOwn(now.source) };
});
/** Why the last checkpoint was not taken. */
export const openFailure = computed(() =>
  reader.failure.value ? { message: reader.failure.value, own: isOwn(reader.refused.value) } : undefined,
);
/** Other files were chosen: what was wrong with the last ones is past. */
export function forgetFailure(): void {
  reader.failure.value = "";
}

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

export const open = (checkpoint: Checkpoint): Promise<void> =>
  reader.open({ ...checkpoint, rotation: question.rotation.peek() === "on" });
export const openShipped = () => open(shipped);

const asked = whileShown("roformer", () => question.text.value);
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
  if (run.peek() || openFailure.peek()) return;
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
