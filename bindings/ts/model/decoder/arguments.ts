/** Arguments of decoders and caches, read once. */
import { CACHE_TYPES, STORED_KEYS } from "../../module/numbers.js";
import { knownOptions } from "../options.js";
import { refuse } from "../refuse.js";
import type { CacheOptions, RotationPart } from "./surface.js";

/** More than any context has. */
const MOST_IDS = 1 << 22;

/** Token ids as the module takes them; `name` and `allowed` are for messages. */
export function idsOf(fn: string, ids: ArrayLike<number>, name = "ids", allowed = "an array of token ids"): Int32Array {
  // Read once: it may be another when it is read again.
  const length: unknown = typeof ids === "object" && ids !== null ? ids.length : undefined;
  if (typeof length !== "number") throw refuse.type(fn, name, ids, allowed);
  if (!(length <= MOST_IDS)) throw refuse.range(fn, `${name}.length`, length, `up to ${MOST_IDS}`);
  return Int32Array.from({ length }, (_, i) => {
    const id = ids[i]!;
    if (typeof id !== "number") throw refuse.type(fn, `${name}[${i}]`, id, `a token id: \`${name}\` is ${allowed}`);
    if (Number.isInteger(id) && id >= 0 && id < 2 ** 31) return id;
    throw refuse.range(fn, `${name}[${i}]`, id, "a token id, a whole number from 0 to 2147483647");
  });
}

/** Ids of a prompt that is no text. */
export const promptIds = (fn: string, prompt: ArrayLike<number>): number[] =>
  Array.from(idsOf(fn, prompt, "prompt", "a text or an array of token ids; `chat` takes messages"));

/** A whole number from 0 to 2^31 - 1, as sizes and places are. */
export function place(fn: string, name: string, value: unknown): number {
  const allowed = "a whole number from 0 to 2147483647";
  if (typeof value !== "number") throw refuse.type(fn, name, value, allowed);
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw refuse.range(fn, name, value, allowed);
}

export function text(fn: string, name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw refuse.type(fn, name, value, "a text");
}

function indexIn(fn: string, name: string, value: unknown, names: readonly string[]): number {
  const index = names.indexOf(value as string);
  if (index >= 0) return index;
  throw refuse.range(fn, name, value, names.map((each) => `"${each}"`).join(", "));
}

const PART = ["layer", "keyHead", "pair"] as const;

/** Three integers for each part, -1 for what is not given. */
function partsOf(fn: string, parts: readonly RotationPart[]): number[] {
  const name = "withoutRotation";
  if (!Array.isArray(parts)) throw refuse.type(fn, name, parts, "an array of parts of the rotation");
  return parts.flatMap((part: RotationPart, i) => {
    knownOptions(fn, part, PART, `${name}[${i}]`);
    return PART.map((key) => (part[key] === undefined ? -1 : place(fn, `${name}[${i}].${key}`, part[key])));
  });
}

/** Keys and type by their numbers in C++; -1 leaves the keys to it. */
export function cacheOptions(fn: string, options: CacheOptions): [keys: number, type: number, parts: number[]] {
  const names = ["keys", "dtype", "withoutRotation"];
  const { keys, dtype = "float32", withoutRotation = [] } = knownOptions(fn, options, names);
  return [
    keys === undefined ? -1 : indexIn(fn, "keys", keys, STORED_KEYS),
    indexIn(fn, "dtype", dtype, CACHE_TYPES),
    partsOf(fn, withoutRotation),
  ];
}
