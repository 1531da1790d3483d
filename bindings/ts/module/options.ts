/**
 * Options cross into C++ as JSON text, where one strict reader checks names, types and ranges. This file only
 * writes that text: JSON.stringify would turn NaN into null and drop functions, that is, hide mistakes.
 */
import { refusal } from "./errors.js";

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function write(fn: string, path: string, value: unknown, keyOf: (key: string, path: string) => string): string {
  switch (typeof value) {
    case "number":
      if (Number.isFinite(value)) return String(value);
      throw new RangeError(refusal(fn, path, value, "a finite number"));
    case "string":
      return JSON.stringify(value);
    case "boolean":
      return String(value);
    case "object": {
      if (value === null) return "null";
      if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
        const items = Array.from(value as ArrayLike<unknown>);
        return `[${items.map((item, i) => write(fn, `${path}[${i}]`, item, keyOf)).join(",")}]`;
      }
      const members: string[] = [];
      for (const [key, member] of Object.entries(value)) {
        if (member === undefined) continue;
        const inner = path === "" ? key : `${path}.${key}`;
        members.push(`${JSON.stringify(keyOf(key, inner))}:${write(fn, inner, member, keyOf)}`);
      }
      return `{${members.join(",")}}`;
    }
    default:
      throw new TypeError(refusal(fn, path, value, "a number, a text, true, false, an array or an object of these"));
  }
}

/** Options of ours: camelCase here, snake_case in C++. */
export function optionsToJson(fn: string, options: object): string {
  return write(fn, "", options, (key, path) => {
    if (!key.includes("_")) return snakeCase(key);
    throw new TypeError(`${fn}: unknown option \`${path}\`; did you mean \`${camelCase(key)}\`?`);
  });
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
  return write(fn, "", config, (key) => key);
}
