/** Compares what a server sent with the file that it announced, as far as that can be seen, so that nothing else is kept. */

const JSON_MOST = 1 << 26;
const HEADER = 8;

export class Whole {
  readonly #name: string;
  readonly #length: number | undefined;
  #size = 0;
  /** All of a JSON file, and of others the beginning that says how long they are. */
  #parts: Uint8Array[] = [];
  #held = 0;

  /** `length` is what the server says: a text of digits, or null. */
  constructor(address: string, length: string | null) {
    // The list of a repository's files is JSON as well.
    this.#name = address.replace(/[?#].*$/, "").replace(/\/tree\/[^/]+$/, "/tree.json");
    this.#length = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#held >= this.#wanted()) return;
    this.#parts.push(chunk.slice());
    this.#held += chunk.length;
  }

  /** Bytes that are looked at. */
  #wanted(): number {
    if (this.#name.endsWith(".json")) return JSON_MOST;
    if (!this.#name.endsWith(".safetensors")) return 0;
    return this.#held < HEADER ? HEADER : Math.min(JSON_MOST, HEADER + this.#headerBytes());
  }

  #bytes(): Uint8Array {
    const all = new Uint8Array(this.#held);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    this.#parts = [all];
    return all;
  }

  #headerBytes(): number {
    return Number(new DataView(this.#bytes().buffer).getBigUint64(0, true));
  }

  /** True at the end of a file that can be kept. */
  holds(): boolean {
    if (this.#size === 0 || (this.#length !== undefined && this.#size !== this.#length)) return false;
    try {
      if (this.#name.endsWith(".json")) {
        if (this.#size <= JSON_MOST) JSON.parse(new TextDecoder().decode(this.#bytes()));
      } else if (this.#name.endsWith(".safetensors")) {
        const header = this.#headerBytes();
        const json = new TextDecoder().decode(this.#bytes().subarray(HEADER, HEADER + header));
        const ends = Object.values(JSON.parse(json) as Record<string, { data_offsets?: [number, number] }>).map(
          ({ data_offsets: offsets }) => offsets?.[1] ?? 0,
        );
        return this.#size === HEADER + header + Math.max(0, ...ends);
      }
      return true;
    } catch {
      return false;
    }
  }
}
