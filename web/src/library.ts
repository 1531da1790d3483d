import { signal } from "@preact/signals";
import type { Ropewalk } from "ropewalk";

/** The library on this thread, for work that takes microseconds; models run in a worker of their own. */
export const library = signal<Ropewalk | undefined>(undefined);
export const libraryFailure = signal("");

let asked = false;

/** Loads it once; rooms call this when they are first shown. */
export async function askForLibrary(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    const { load } = await import("ropewalk");
    library.value = await load();
  } catch (error) {
    asked = false;
    libraryFailure.value = error instanceof Error ? error.message : String(error);
  }
}
