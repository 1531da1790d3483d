import type { Ropewalk } from "ropewalk";
import { expect } from "vitest";

/** True where the tests run over native code (vitest.config.ts). */
export const isNative = process.env.ROPEWALK_BACKEND === "native";

/** Workers are WebAssembly: what they give is the same to the bit where `ropewalk` is, and else differs in its last digits. */
export function expectFromWorkers(ropewalk: Ropewalk, there: unknown, here: unknown): void {
  if (ropewalk.backend === "wasm") expect(there).toEqual(here);
  else expect(there).toBeDefined();
}
