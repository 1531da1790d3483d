/** Arguments of decoders and caches, read once. */
import { knownOptions } from "../options.js";
import { refuse } from "../refuse.js";
import type { CacheOptions } from "./surface.js";

/** More than any context has. */
const MOST_IDS = 1 << 22;

/** Token ids as the module takes them. */
export function idsOf(fn: string, ids: ArrayLike<number>): Int32Array {
  if (typeof ids !== "object" || ids === null || typeof ids.length !== "number")
    throw refuse.type(fn, "ids", ids, "an array of token ids");
  if (!(ids.length <= MOST_IDS)) throw refuse.range(fn, "ids.length", ids.length, `up to ${MOST_IDS}`);
  return Int32Array.from({ length: ids.length }, (_, i) => {
    const id = ids[i]!;
    if (typeof id !== "number") throw refuse.type(fn, `ids[${i}]`, id, "a token id, a whole number of at least 0");
    if (Number.isInteger(id) && id >= 0 && id < 2 ** 31) return id;
    throw refuse.range(fn, `ids[${i}]`, id, "a token id, a whole number of at least 0");
  });
}

/** A whole number from 0 to 2^31 - 1, as sizes and places are. */
export function place(fn: string, name: string, value: unknown): number {
  if (typeof value !== "number") throw refuse.type(fn, name, value, "a whole number of at least 0");
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw refuse.range(fn, name, value, "a whole number of at least 0");
}

export function text(fn: string, name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw refuse.type(fn, name, value, "a text");
}

const KEYS = ["rotated", "raw"];
const TYPES = ["float32", "float16", "int8"];

function indexIn(fn: string, name: string, value: unknown, names: readonly string[]): number {
  const index = names.indexOf(value as string);
  if (index >= 0) return index;
  throw refuse.range(fn, name, value, names.map((each) => `"${each}"`).join(", "));
}

/** By their numbers in C++; -1 leaves the keys to it. */
export function cacheOptions(fn: string, options: CacheOptions): [keys: number, type: number] {
  const { keys, dtype = "float32" } = knownOptions(fn, options, ["keys", "dtype"]);
  return [keys === undefined ? -1 : indexIn(fn, "keys", keys, KEYS), indexIn(fn, "dtype", dtype, TYPES)];
}
