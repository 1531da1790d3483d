/** Text from tokens, one after the other: whole characters only, and nothing of a string that ends it. */
import type { Tokenizer } from "../text/tokenizer.js";

/** Tokens of the prompt that the first one is decoded behind, so that it keeps the space before it. */
const CONTEXT = 5;

/** A tokenizer writes it for bytes that are no whole character yet. */
const INCOMPLETE = "\ufffd";

/** How much of the end of `text` may be the beginning of one of `stop`. */
function possible(text: string, stop: readonly string[]): number {
  let most = 0;
  for (const each of stop) {
    for (let size = Math.min(each.length - 1, text.length); size > most; size--) {
      if (each.startsWith(text.slice(-size))) most = size;
    }
  }
  return most;
}

export class TextStream {
  readonly #tokenizer: Tokenizer | undefined;
  readonly #stop: readonly string[];
  #ids: number[];
  /** How many of the ids have given their text. */
  #read: number;
  /** Text that may be the beginning of a string that ends it. */
  #held = "";
  /** True if one of these strings was met. */
  stopped = false;
  /** The text that the last token completed, before stop strings; undefined within a character. */
  completed: string | undefined;
  /** Text as the tokens have it, where some tokenizers take a space out before a mark. */
  readonly #exact: boolean;

  constructor(tokenizer: Tokenizer | undefined, prompt: ArrayLike<number>, stop: readonly string[], exact = false) {
    this.#exact = exact;
    this.#tokenizer = tokenizer;
    this.#stop = stop;
    this.#ids = Array.from(prompt).slice(-CONTEXT);
    this.#read = this.#ids.length;
  }

  /** The text that this token completes. */
  push(id: number): string {
    this.completed = "";
    if (this.#tokenizer === undefined) return "";
    this.#ids.push(id);
    const before = this.#tokenizer.decode(this.#ids.slice(0, this.#read), true, this.#exact);
    const all = this.#tokenizer.decode(this.#ids, true, this.#exact);
    // A special token has no text.
    this.completed = all.length === before.length ? "" : undefined;
    if (all.endsWith(INCOMPLETE) || all.length <= before.length) return "";
    this.completed = all.slice(before.length);
    this.#ids = this.#ids.slice(-CONTEXT);
    this.#read = this.#ids.length;
    return this.#hold(this.#held + all.slice(before.length));
  }

  /** The text that was held back, to be called when no token follows. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  #hold(text: string): string {
    const places = this.#stop.map((each) => text.indexOf(each)).filter((at) => at >= 0);
    if (places.length > 0) {
      this.stopped = true;
      this.#held = "";
      return text.slice(0, Math.min(...places));
    }
    const end = text.length - possible(text, this.#stop);
    this.#held = text.slice(end);
    return text.slice(0, end);
  }
}
