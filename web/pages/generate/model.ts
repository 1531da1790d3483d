import { batch, computed, effect, signal } from "@preact/signals";
import { chosen as chosenModel, openable } from "../../model/openable.js";
import { whileShown } from "../../model/text.js";
import { step } from "../../state/address.js";
import { messageOf } from "../../text/message.js";
import { piece } from "../../worker/turns.js";
import type { GenerateCalls, Session } from "./calls.js";
import { type Entry, isFull, type Log, withEntry } from "./log.js";
import { recordedSession, shippedModel } from "./opening.js";
import { state } from "./state.js";

export const shippedFolder = new URL("decoder/", document.baseURI).href;

/** True if it has been read. */
export const ready = signal(false);
/** The text as it is now; it stays while the next is computed. */
export const session = signal<Session | undefined>(undefined);
export const failure = signal("");
/** Set while something is computed that takes longer than a moment. */
export const busy = signal<"writing" | "computing" | undefined>(undefined);

/** The worker that holds the decoder. */
export const reader = openable<GenerateCalls>({
  look: "generate",
  shipped: { shipped: shippedFolder },
  worker: () =>
    new Worker(new URL("./generate.worker.ts", import.meta.url), { type: "module", name: "ropewalk generate" }),
  begin: () => stop(),
  take(found) {
    // The log belongs to the tokens of the model before; that of a link, to the model of this site.
    if (ready.peek() || !found.shipped) {
      state.log.value = [];
      branches.value = [];
    }
    ready.value = true;
    // A copy would make the page ask anew for what it shows.
    if (JSON.stringify(found) !== JSON.stringify(model.peek())) model.value = found;
  },
  fail() {
    // Nothing can answer: what was recorded goes, too.
    if (ready.peek()) return;
    stop();
    batch(() => {
      model.value = undefined;
      session.value = undefined;
    });
  },
});
/** The model of this site is known before it has been read, and so is its first answer. */
export const { model, opening, failure: openFailure } = reader;

/** Reads the model, and if it is that of this site, answers meanwhile as far as answers are recorded. */
export function start(): void {
  reader.start();
  if (!chosenModel.peek()?.gives.includes("generate")) model.value = shippedModel;
}

/** While tokens are written: the log with those that are there. */
const live = signal<Log | undefined>(undefined);
let running: AbortController | undefined;

/** Stops what is being computed; tokens that are there stay. */
export function stop(): void {
  running?.abort();
  const log = live.peek();
  if (!log) return;
  live.value = undefined;
  if (log !== state.log.peek())
    step(() => {
      state.log.value = log;
    });
}

/** Asks the worker once the model is there. */
export async function ask<N extends "run" | "look">(name: N, args: GenerateCalls[N]["args"], signal: AbortSignal) {
  await reader.settled();
  if (!ready.peek()) throw new Error("The model has not been read.");
  return piece(() => reader.worker().call(name, args, { signal }));
}

function compute(prompt: string, log: Log, signal: AbortSignal): Promise<Session> {
  return ask("run", { prompt, log, temperature: state.temperature.peek(), seed: state.seed.peek() }, signal);
}

/** A new run ends the one before. */
function begin(kind: "writing" | "computing"): AbortController {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  failure.value = "";
  // A result that comes in a moment needs no message that comes and goes.
  const say = () => {
    if (running === controller) busy.value = kind;
  };
  if (kind === "writing") say();
  else setTimeout(say, 300);
  return controller;
}

function end(controller: AbortController): void {
  if (running !== controller) return;
  running = undefined;
  busy.value = undefined;
}

let [lastPrompt, lastLog] = [state.prompt.peek(), state.log.peek()];
// A text that comes from another look has no steps yet; a link and a button set both.
effect(() => {
  const [prompt, log] = [state.prompt.value, state.log.value];
  const isOther = prompt !== lastPrompt && log === lastLog;
  [lastPrompt, lastLog] = [prompt, log];
  if (!isOther) return;
  // A generation in progress continues the old text.
  if (live.peek()) running?.abort();
  live.value = undefined;
  if (log.length > 0) state.log.value = [];
});

const asked = {
  prompt: whileShown("generate", () => state.prompt.value),
  log: whileShown("generate", () => state.log.value),
};
// Prompt and log say what the text is, wherever they come from: a button, a link, or Back.
effect(() => {
  const [prompt, log] = [asked.prompt.value, asked.log.value];
  if (!model.value) return;
  // A link leads elsewhere while tokens are written.
  live.value = undefined;
  const recorded = model.value.shipped ? recordedSession(prompt, log) : undefined;
  if (recorded) {
    end(begin("computing"));
    session.value = recorded;
  } else void show(prompt, log);
});

async function show(prompt: string, log: Log): Promise<void> {
  const controller = begin("computing");
  try {
    const found = await compute(prompt, log, controller.signal);
    if (!controller.signal.aborted) session.value = found;
  } catch (error) {
    if (controller.signal.aborted) return;
    failure.value = messageOf(error);
    await showBefore(prompt, log, controller.signal);
  } finally {
    end(controller);
  }
}

/** Shows the tokens without the last steps, one of which cannot be done. */
async function showBefore(prompt: string, log: Log, signal: AbortSignal): Promise<void> {
  for (let kept = log.length - 1; kept >= 0; kept--) {
    try {
      const found = await compute(prompt, log.slice(0, kept), signal);
      if (!signal.aborted) session.value = found;
      return;
    } catch {
      if (signal.aborted) return;
    }
  }
}

export const full = computed(() => isFull(state.log.value));

/** Adds a step; the browser's Back undoes it. */
export function add(entry: Entry): void {
  stop();
  step(() => {
    state.log.value = withEntry(state.log.value, entry);
  });
}

export function undo(): void {
  stop();
  step(() => {
    state.log.value = state.log.value.slice(0, -1);
  });
}

/** The last step in another way. */
export function replaceLast(entry: Entry): void {
  stop();
  step(() => {
    state.log.value = [...state.log.value.slice(0, -1), entry];
  });
}

export function startWith(prompt: string): void {
  stop();
  step(() => {
    state.prompt.value = prompt;
    state.log.value = [];
  });
}

/** Writes tokens one by one, so that each is seen when it is there. */
export async function write(count: number): Promise<void> {
  const [prompt, temperature, seed] = [state.prompt.value, state.temperature.value, state.seed.value];
  const controller = begin("writing");
  let log = state.log.value;
  live.value = log;
  try {
    for (let i = 0; i < count; i++) {
      if ((session.peek()?.tokens.length ?? 0) >= model.peek()!.context) break;
      const longer = withEntry(log, { op: "write", count: 1, temperature, seed });
      const found = await compute(prompt, longer, controller.signal);
      if (controller.signal.aborted) break;
      log = longer;
      live.value = log;
      session.value = found;
      // A text of this site's model is followed by another; others end.
      if (found.tokens.at(-1)?.end && !model.peek()!.shipped) break;
    }
  } catch (error) {
    if (!controller.signal.aborted) failure.value = messageOf(error);
  } finally {
    const failed = failure.peek();
    if (running === controller) {
      stop();
      // The message comes after the tokens that are there.
      failure.value = failed;
    }
    end(controller);
  }
}

// Copies of the text to come back to.
export interface Branch {
  readonly prompt: string;
  readonly log: Log;
  readonly length: number;
  readonly ends: string;
}
export const branches = signal<readonly Branch[]>([]);

const same = (a: Branch, b: Branch) => a.prompt === b.prompt && JSON.stringify(a.log) === JSON.stringify(b.log);

/** Keeps the text as it is now, to go on from it in two ways. */
export function fork(): void {
  const tokens = session.value?.tokens ?? [];
  const branch: Branch = {
    prompt: state.prompt.value,
    log: state.log.value,
    length: tokens.length,
    ends: tokens
      .slice(-4)
      .map(({ text }) => text.trim())
      .join(" "),
  };
  if (!branches.value.some((other) => same(other, branch))) branches.value = [...branches.value, branch].slice(-6);
}

export function goTo(branch: Branch): void {
  stop();
  step(() => {
    state.prompt.value = branch.prompt;
    state.log.value = branch.log;
  });
}

/** The stretch of tokens that is chosen: [from, to). */
export const chosen = signal<{ readonly from: number; readonly to: number } | undefined>(undefined);
export const selection = computed(() => {
  const length = session.value?.tokens.length ?? 0;
  const range = chosen.value;
  if (!range || range.from >= length) return undefined;
  return { from: range.from, to: Math.min(range.to, length) };
});
