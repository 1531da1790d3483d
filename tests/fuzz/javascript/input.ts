/** An input of a target as numbers and texts, from its beginning on. Where it has ended they are 0 and empty. */
import type { Change } from "../../ts/changed-files.js";

export class Numbers {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** From 0 to `most`, which is at most 255. */
  whole(most: number): number {
    return this.byte() % (most + 1);
  }

  bytes(most: number): Uint8Array {
    const length = this.whole(most);
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  text(most = 255): string {
    return new TextDecoder().decode(this.bytes(most));
  }

  rest(): Uint8Array {
    const taken = this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    return taken;
  }

  /** A value of JSON, or a text that is none. */
  value(): unknown {
    const text = this.text();
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }

  change(): Change {
    const places = [...this.bytes(8)];
    const how = (["replace", "remove", "add"] as const)[this.whole(2)]!;
    return [places, how === "remove" ? undefined : this.value(), how];
  }
}

/** Throws unless `holds`: the input breaks a promise of the target. */
export function must(holds: boolean, promise: string): void {
  if (!holds) throw new Error(`broken promise: ${promise}`);
}
