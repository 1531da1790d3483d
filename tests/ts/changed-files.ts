/** Files with something changed, and what a call may do with them; for tests and for the targets of tests/fuzz/javascript. */
import type { ErrorDetails } from "ropewalk";

/** A place in JSON, as numbers that choose among what they meet, and what stands there instead. */
export type Change = readonly [places: readonly number[], value: unknown, how: "replace" | "remove" | "add"];

/** A copy of `json` that differs at one place. */
export function changed(json: unknown, [[first = 0, ...rest], value, how]: Change): unknown {
  if (typeof json !== "object" || json === null) return value;
  const keys = Object.keys(json);
  if (how === "add" && rest.length === 0) {
    if (Array.isArray(json)) return [...json, value];
    return Object.fromEntries([...Object.entries(json), [String(value), value]]);
  }
  if (keys.length === 0) return value;
  const key = keys[first % keys.length]!;
  const entries = Object.entries(json).flatMap(([name, inner]): [string, unknown][] => {
    if (name !== key) return [[name, inner]];
    if (rest.length > 0) return [[name, changed(inner, [rest, value, how])]];
    return how === "remove" ? [] : [[name, value]];
  });
  return Array.isArray(json) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/**
 * Awaits a call that may fail, with an error of this package, which says where and what. `called` are the functions that it
 * may name: those that a user calls, and no reader of a family or a format in their place.
 */
export async function answers<T>(called: readonly string[], call: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const { code, function: fn, message, stack } = error as Error & Partial<ErrorDetails>;
    if (!code || !called.includes(fn!) || !message.startsWith(`${fn}: `)) {
      throw new Error(`not an error of this package that names the function: ${stack}`);
    }
    return undefined;
  }
}
