/**
 * Options cross into C++ as JSON text, where one strict reader checks names, types and ranges. This file only
 * writes that text: JSON.stringify would turn NaN into null and drop functions, that is, hide mistakes.
 */
import { kindOf, lengthOf } from "./arrays.js";
import { failure, refusal } from "./errors.js";
import { JSON_LIMITS_BYTES as MOST_CHARACTERS, JSON_LIMITS_VALUES as MOST_VALUES } from "./numbers.js";

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
/** Words of config.json that are longer or shorter here. */
const ours = (name: string): string =>
  name
    .replace("freq_", "frequency_")
    .replace("_position_embeddings", "_positions")
    .replace(/^rope_(scaling|parameters)$/, "frequencies")
    .replace(/^rope_(?=type|theta)/, "frequencies.")
    .replace(".theta", ".base");
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// Deeper or longer texts would be refused in C++, after they had been copied.
const MOST_LEVELS = 64;

type Spelling = (key: string, path: string) => string;

/** Writes one value after the other, and counts them. */
class Writer {
  readonly #fn: string;
  readonly #keyOf: Spelling;
  #values = 0;
  #characters = 0;

  constructor(fn: string, keyOf: Spelling) {
    this.#fn = fn;
    this.#keyOf = keyOf;
  }

  write(path: string, value: unknown, level = 0): string {
    const fn = this.#fn;
    this.#count(path, 1);
    switch (typeof value) {
      case "number":
        if (Number.isFinite(value)) return String(value);
        throw refusal("range", fn, path, value, "a finite number");
      case "string":
        this.#countCharacters(path, value.length);
        return JSON.stringify(value);
      case "boolean":
        return String(value);
      case "object":
        if (value === null) return "null";
        if (level === MOST_LEVELS) {
          throw failure(
            "range",
            fn,
            `\`${path.slice(0, 60)}...\` is nested deeper than ${MOST_LEVELS} levels; allowed: at most ${MOST_LEVELS}`,
          );
        }
        if (Array.isArray(value) || kindOf(value) !== undefined) return this.#array(path, value, level);
        return this.#object(path, value, level);
      default:
        throw refusal("type", fn, path, value, "a number, a text, true, false, an array or an object of these");
    }
  }

  #array(path: string, values: object, level: number): string {
    const length = lengthOf(this.#fn, path, values);
    this.#count(path, length, `an array of ${length} elements`);
    // Counted here all at once, so that millions are refused before the first is written.
    this.#values -= length;
    const items: string[] = [];
    for (let i = 0; i < length; i++) {
      items.push(this.write(`${path}[${i}]`, (values as ArrayLike<unknown>)[i], level + 1));
    }
    return `[${items.join(",")}]`;
  }

  #object(path: string, value: object, level: number): string {
    const members: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const inner = path === "" ? key : `${path}.${key}`;
      this.#countCharacters(path, key.length);
      members.push(`${JSON.stringify(this.#keyOf(key, inner))}:${this.write(inner, member, level + 1)}`);
    }
    return `{${members.join(",")}}`;
  }

  #count(path: string, values: number, what = "one value too many"): void {
    this.#values += values;
    if (this.#values <= MOST_VALUES) return;
    throw failure("range", this.#fn, `\`${path}\` is ${what}; allowed: at most ${MOST_VALUES} values in all`);
  }

  #countCharacters(path: string, characters: number): void {
    this.#characters += characters;
    if (this.#characters <= MOST_CHARACTERS) return;
    throw failure(
      "range",
      this.#fn,
      `\`${path}\` is a text of ${characters} characters; allowed: at most ${MOST_CHARACTERS} in all`,
    );
  }
}

/** Options of ours: camelCase here, snake_case in C++. */
export function optionsToJson(fn: string, options: object): string {
  return new Writer(fn, (key, path) => {
    if (!key.includes("_")) return snakeCase(key);
    throw failure("type", fn, `unknown option \`${path}\`; did you mean \`${camelCase(ours(key))}\`?`);
  }).write("", options);
}

/** Options of ours that C++ wrote. */
export function optionsFromJson<T>(json: string): T {
  const renamed = (value: unknown): unknown =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), member]));
  return JSON.parse(json, (_, value: unknown) => renamed(value)) as T;
}

/** A file of others, such as config.json: names stay as they are. */
export function configToJson(fn: string, config: object): string {
  return new Writer(fn, (key) => key).write("", config);
}
