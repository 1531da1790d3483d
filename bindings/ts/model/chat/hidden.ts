/**
 * Text of messages that looks like a special token, hidden from the tokenizer. The first character of each such place is
 * replaced by one for private use while the template works on the text, so that no length changes. So is the beginning of
 * a token at the end of a text, which the next text might complete.
 */
import { failure } from "../../module/errors.js";
import { patternOf } from "../text/pattern.js";

/** First of the characters for private use; the text may hold some of its own. */
const PRIVATE = 0xe000;
const PRIVATE_END = 0xf8ff;

const isWord = (name: string, value: string) => (name === "role" || name === "type") && /^\w+$/.test(value);

export class Hider {
  readonly #tokens: readonly string[];
  readonly #begins: RegExp;
  readonly #longest: number;
  readonly #stands = new Map<string, string>();
  readonly #free: Iterator<string>;

  /** For tokens that are not empty, and texts of which `texts` are all. */
  constructor(tokens: readonly string[], texts: string) {
    this.#tokens = tokens.map((token) => token.toLowerCase());
    // A template may change upper to lower case.
    this.#begins = new RegExp(`(?=${patternOf(tokens)}).`, "gisu");
    this.#longest = Math.max(...tokens.map((token) => token.length));
    this.#free = (function* () {
      for (let code = PRIVATE; code <= PRIVATE_END; code++) {
        const character = String.fromCharCode(code);
        if (!texts.includes(character)) yield character;
      }
      return "";
    })();
  }

  /** True if a text was changed. */
  get hides(): boolean {
    return this.#stands.size > 0;
  }

  #standIn(character: string): string {
    const found = this.#stands.get(character);
    if (found !== undefined) return found;
    const { value, done } = this.#free.next();
    if (done)
      throw failure("range", "encodeChat", "`messages` use every character for private use; allowed: some free ones", {
        argument: "messages",
      });
    this.#stands.set(character, value);
    return value;
  }

  hide(text: string): string {
    const inside = text.replace(this.#begins, (first) => this.#standIn(first));
    for (let at = Math.max(0, inside.length - this.#longest); at < inside.length; at++) {
      const end = inside.slice(at).toLowerCase();
      if (this.#tokens.some((token) => token.length > end.length && token.startsWith(end))) {
        return inside.slice(0, at) + this.#standIn(inside[at]!) + this.hide(inside.slice(at + 1));
      }
    }
    return inside;
  }

  /** Every text within a value. Roles and types that are plain words stay, since templates compare them. */
  within<T>(value: T, name = ""): T {
    if (typeof value === "string") return (isWord(name, value) ? value : this.hide(value)) as T;
    if (Array.isArray(value)) return value.map((each) => this.within(each)) as T;
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, each]) => [
      /^\w+$/.test(key) ? key : this.hide(key),
      this.within(each, key),
    ]);
    return Object.fromEntries(entries) as T;
  }

  /** The text as it was. */
  shown(text: string): string {
    const characters = new Map([...this.#stands].map(([real, standIn]) => [standIn, real]));
    return text.replace(/[\ue000-\uf8ff]/g, (each) => characters.get(each) ?? each);
  }
}
