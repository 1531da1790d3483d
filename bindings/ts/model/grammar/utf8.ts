/**
 * Keeps a text valid UTF-8 where tokens are bytes: XGrammar takes any bytes for a character that a class leaves out, such as
 * those of a surrogate, which a decoder would replace.
 */
import type { Pieces } from "../text/tokenizer.js";

/** Bytes by the letters that GPT-2's vocabulary writes for them: https://github.com/openai/gpt-2/blob/master/src/encoder.py. */
function bytesOfLetters(): ReadonlyMap<string, number> {
  const isItself = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let others = 0;
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  return new Map(bytes.map((byte) => [String.fromCharCode(isItself(byte) ? byte : 256 + others++), byte]));
}

/** True if the bytes are characters, of which the last may be incomplete. */
function isBeginning(bytes: readonly number[], stream: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes), { stream });
    return true;
  } catch {
    return false;
  }
}

/** The bytes at the end that begin a character. */
function incomplete(bytes: readonly number[]): readonly number[] {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back)!;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (size > back) return bytes.slice(-back);
    if (byte < 0x80 || byte >= 0xc0) return [];
  }
  return [];
}

/** Tokens that are not characters as a whole, by their ids. */
export function partialTokens({ texts, form }: Pieces): ReadonlyMap<number, readonly number[]> {
  const letters = bytesOfLetters();
  const bytesOf = (text: string): number[] => {
    if (form === "BYTE_FALLBACK") {
      const [, hex] = /^<0x([0-9A-F]{2})>$/.exec(text) ?? [];
      return hex === undefined ? [] : [Number.parseInt(hex, 16)];
    }
    return [...text].flatMap((letter) => letters.get(letter) ?? []);
  };
  const all = texts.map((text, id) => [id, bytesOf(text)] as const);
  return new Map(all.filter(([, bytes]) => bytes.some((byte) => byte >= 0x80) && !isBeginning(bytes, false)));
}

/** The bytes of a text so far. */
export class Utf8 {
  readonly #partial: ReadonlyMap<number, readonly number[]>;
  #pending: readonly number[] = [];

  constructor(partial: ReadonlyMap<number, readonly number[]>) {
    this.#partial = partial;
  }

  /** Takes away the bits of tokens that would break a character. */
  restrict(allowed: Int32Array): void {
    for (const [id, bytes] of this.#partial) {
      const [word, bit] = [id >> 5, 1 << (id & 31)];
      if ((allowed[word]! & bit) !== 0 && !isBeginning([...this.#pending, ...bytes], true)) allowed[word]! &= ~bit;
    }
  }

  accept(id: number): void {
    const bytes = this.#partial.get(id);
    this.#pending = bytes === undefined ? [] : incomplete([...this.#pending, ...bytes]);
  }
}
