import type { Decoder, KeyCache } from "ropewalk";
import type { RunArguments, Token } from "./calls.js";
import { type Log, writeLog } from "./log.js";

/** A cache with what the page knows of its tokens, after some entries of a log. */
export interface Held {
  readonly cache: KeyCache;
  readonly tokens: readonly Token[];
  /** Logits of the next token. */
  readonly logits: Float32Array;
  /** rope_parameters under which it was rescaled last. */
  readonly rope: object | undefined;
}

/** Caches by prompt and log so far: the same question has its answer at once, and a fork costs nothing. */
export class Shelf {
  readonly #held = new Map<string, Held>();
  readonly #most: number;

  constructor(most = 32) {
    this.#most = most;
  }

  get(key: string): Held | undefined {
    const found = this.#held.get(key);
    if (!found) return undefined;
    // The entry that was used last goes last.
    this.#held.delete(key);
    this.#held.set(key, found);
    return found;
  }

  put(key: string, held: Held): Held {
    this.delete(key);
    this.#held.set(key, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.#most) break;
      this.delete(oldest);
    }
    return held;
  }

  delete(key: string): void {
    this.#held.get(key)?.cache.dispose();
    this.#held.delete(key);
  }

  clear(): void {
    for (const key of [...this.#held.keys()]) this.delete(key);
  }
}

export const keyOf = (prompt: string, log: Log): string => `${writeLog(log)}\n${prompt}`;

/** Shared by the steps of a run. */
export interface Work {
  readonly model: Decoder;
  readonly shelf: Shelf;
  readonly signal: AbortSignal;
  /** A macrotask now and then, so that a cancel is heard. */
  breathe(): Promise<void>;
}

export const textOf = (model: Decoder, id: number): string => model.decode([id], { skipSpecialTokens: false });

/** Seeds of single tokens: the same text, however many are asked for at a time. */
export const seedOf = (seed: number, position: number): number => seed * 2 ** 20 + position;

export type Sampling = Pick<RunArguments, "temperature" | "seed">;

export interface Sampled {
  readonly id: number;
  readonly text: string;
  readonly end: boolean;
}

/** Takes the next token from the logits of the last feed, and feeds it. */
export async function writeOne(
  { model, signal }: Work,
  cache: KeyCache,
  { temperature, seed }: Sampling,
): Promise<Sampled & { logits: Float32Array }> {
  const { length } = cache;
  const generation = model.generate([], { cache, maxTokens: 1, temperature, seed: seedOf(seed, length), signal });
  const { value } = await generation.next();
  if (!value) throw new Error("The model wrote nothing.");
  await generation.next();
  const end = generation.finishReason === "eos";
  // The cache ends with what was shown; an end of text is a token of its own here, and its logits are wanted.
  cache.trim(length);
  return { id: value.id, text: value.text, end, logits: cache.feed([value.id]) };
}
