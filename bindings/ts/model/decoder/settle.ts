/** Leaves in a cache the tokens whose text was shown, so that the next turn reads what the reader has read. */
import type { Tokenizer } from "../text/tokenizer.js";
import type { ModuleKeyCache } from "./key-cache.js";

/** Tokens that were generated, and the text that they completed. */
export class Written {
  readonly ids: number[] = [];
  /** Characters of the text with each token. */
  readonly #ends: number[] = [];
  /** Tokens that have not completed a character yet. */
  #open = 0;
  text = "";

  /** `text` as TextStream completed it, before stop strings are looked for; undefined within a character. */
  push(id: number, text: string | undefined): void {
    this.ids.push(id);
    this.text += text ?? "";
    this.#ends.push(this.text.length);
    if (text === undefined) {
      this.#open++;
      return;
    }
    // Those that only began this character end with it.
    this.#ends.fill(this.text.length, this.#ends.length - 1 - this.#open);
    this.#open = 0;
  }

  /** How many tokens lie within so many characters. */
  within(shown: number): number {
    // They never fall.
    const beyond = this.#ends.findIndex((end) => end > shown);
    return beyond < 0 ? this.#ends.length : beyond;
  }

  end(tokens: number): number {
    return tokens === 0 ? 0 : this.#ends[tokens - 1]!;
  }
}

/** Ids of a text that goes on behind others, where there are such. */
function continuation(fn: string, tokenizer: Tokenizer, before: readonly number[], text: string): number[] {
  const start = before.length > 0 ? tokenizer.decode([...before], true) : "";
  const { encoded, first } = tokenizer.encode(fn, text);
  const ids = encoded.inputIds.slice(...first);
  // A tokenizer that puts a space before a text has it in the first token.
  const fits = [ids, ids.slice(1)].find((each) => tokenizer.decode([...before, ...each], true) === start + text);
  return fits ?? [];
}

/**
 * Trims or feeds the cache, which holds `base` tokens of the prompt and the first `fed` generated ones, until it ends
 * where the shown text ends: between two tokens, unless a stop string begins within one.
 */
export function settle(
  fn: string,
  cache: ModuleKeyCache,
  tokenizer: Tokenizer | undefined,
  context: number,
  base: number,
  written: Written,
  shown: number,
): void {
  const held = cache.length - base;
  // The last token may not have been fed; anything else means that the caller has changed the cache.
  if (held !== written.ids.length && held !== written.ids.length - 1) return;
  const kept = written.within(shown);
  if (kept < held) cache.rewind(base + kept);
  const missing = written.ids.slice(held, kept);
  const rest = written.text.slice(written.end(kept), shown);
  if (rest !== "" && tokenizer !== undefined) {
    const before = [...cache.tokens().slice(-5), ...missing].slice(-5);
    missing.push(...continuation(fn, tokenizer, before, rest));
  }
  for (const id of missing) if (cache.length < context) cache.feedOne(fn, id);
}
