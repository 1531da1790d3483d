import type { Token } from "./calls.js";
import { type Held, keyOf, type Sampling, textOf, type Work, writeOne } from "./held.js";
import { compared, lanesOf } from "./lanes.js";
import { type Entry, isOperation, type Log, lastOperation } from "./log.js";

/** The cache with the prompt alone. */
async function begin(work: Work, prompt: string, progress: (done: number, total: number) => void): Promise<Held> {
  const { model, signal } = work;
  const ids = model.encode(prompt);
  if (ids.length === 0) throw new Error("The prompt is empty, and this model has no token that begins a text.");
  if (ids.length > model.context)
    throw new Error(`The prompt has ${ids.length} tokens; allowed: up to ${model.context}, the length of the cache.`);
  const cache = model.cache();
  try {
    const logits = await cache.prefill(ids, { signal, onProgress: progress });
    const tokens = ids.map(
      (id, first): Token => ({ id, text: textOf(model, id), origin: "prompt", first, end: false }),
    );
    return { cache, tokens, logits, rope: undefined };
  } catch (error) {
    cache.dispose();
    throw error;
  }
}

async function write(work: Work, from: Held, count: number, sampling: Sampling): Promise<Held> {
  const { model, signal } = work;
  const cache = from.cache.fork();
  const tokens = [...from.tokens];
  let { logits } = from;
  try {
    for (let i = 0; i < count && cache.length < model.context; i++) {
      signal.throwIfAborted();
      await work.breathe();
      const first = cache.length;
      const { id, end, logits: after } = await writeOne(work, cache, sampling);
      tokens.push({ id, text: textOf(model, id), origin: "written", first, end });
      logits = after;
    }
    return { ...from, cache, tokens, logits };
  } catch (error) {
    cache.dispose();
    throw error;
  }
}

function force({ model }: Work, from: Held, id: number): Held {
  const cache = from.cache.fork();
  try {
    const first = cache.length;
    const logits = cache.feed([id]);
    const token: Token = { id, text: textOf(model, id), origin: "forced", first, end: false };
    return { ...from, cache, tokens: [...from.tokens, token], logits };
  } catch (error) {
    cache.dispose();
    throw error;
  }
}

async function after(work: Work, from: Held, entry: Entry): Promise<Held> {
  if (entry.op === "write") return write(work, from, entry.count, entry);
  if (entry.op === "force") return force(work, from, entry.id);
  const lanes = lanesOf(work, from, entry);
  const found = await lanes.find(({ how }) => how === entry.how)!.make();
  return { ...from, ...found };
}

/** The longest part of a write that is on the shelf: tokens may have been asked for one at a time. */
function begunWrite(work: Work, prompt: string, before: Log, entry: Entry): [Held, number] | undefined {
  if (entry.op !== "write") return undefined;
  for (let count = entry.count - 1; count > 0; count--) {
    const key = keyOf(prompt, [...before, { ...entry, count }]);
    const held = work.shelf.get(key);
    if (held) return [held, count];
  }
  return undefined;
}

/** The cache after the prompt and all entries. */
export async function replay(
  work: Work,
  prompt: string,
  log: Log,
  progress: (done: number, total: number) => void,
): Promise<Held> {
  const { shelf } = work;
  let done = log.length;
  while (done > 0 && !shelf.get(keyOf(prompt, log.slice(0, done)))) done--;
  let held = shelf.get(keyOf(prompt, log.slice(0, done)));
  held ??= shelf.put(keyOf(prompt, []), await begin(work, prompt, progress));
  for (let at = done; at < log.length; at++) {
    const [before, entry] = [log.slice(0, at), log[at]!];
    const begun = begunWrite(work, prompt, before, entry);
    if (begun && entry.op === "write") held = await write(work, begun[0], entry.count - begun[1], entry);
    else held = await after(work, held, entry);
    shelf.put(keyOf(prompt, log.slice(0, at + 1)), held);
    progress(at + 1, log.length);
  }
  return held;
}

/** The last operation of the log and what stood before it. */
export async function lastComparison(work: Work, prompt: string, log: Log, sampling: Sampling) {
  const at = lastOperation(log);
  const entry = log[at];
  if (!entry || !isOperation(entry)) return undefined;
  const before = await replay(work, prompt, log.slice(0, at), () => {});
  return compared(work, before, entry, sampling);
}
