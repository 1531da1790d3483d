import type { Rope, RopeOptions } from "ropewalk";
import { messageOf } from "../text/message.js";
import { analyst } from "./library.js";

/** An answer, or the library's own words why there is none. */
export type Asked<T> = { readonly found?: T; readonly error?: string } | undefined;

/** One question to a rope that lives only as long; undefined until the library is there. */
export function ask<T>(options: RopeOptions, question: (rope: Rope) => T): Asked<T> {
  const from = analyst.value;
  if (!from) return undefined;
  try {
    const rope = from.rope(options);
    try {
      return { found: question(rope) };
    } finally {
      rope.dispose();
    }
  } catch (error) {
    return { error: messageOf(error) };
  }
}
