import type { Ropewalk } from "ropewalk";
import { expect } from "vitest";

/** True where the tests run over native code (vitest.config.ts). */
export const isNative = process.env.ROPEWALK_BACKEND === "native";

/** A value whose typed arrays are lists, with `of` each number. */
function mapped(value: unknown, of: (number: number) => unknown): unknown {
  if (typeof value === "number") return of(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array, of);
  if (Array.isArray(value)) return value.map((each) => mapped(each, of));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, of)]));
}

/** Workers are WebAssembly: what they give is the same to the bit where `ropewalk` is, and else differs in its last digits. */
export function expectFromWorkers(ropewalk: Ropewalk, there: unknown, here: unknown): void {
  if (ropewalk.backend === "wasm") expect(there).toEqual(here);
  else expect(mapped(there, (number) => number)).toEqual(mapped(here, (number) => expect.closeTo(number, 4)));
}
