import { batch, signal } from "@preact/signals";
import type { Ropewalk, ropeOptionsFromConfig } from "ropewalk";

/** The library on this thread, for work that takes microseconds; models run in a worker of their own. */
export const library = signal<Ropewalk | undefined>(undefined);
/** Reads configurations of published models; there as soon as `library` is. */
export const configReader = signal<typeof ropeOptionsFromConfig | undefined>(undefined);
export const libraryFailure = signal("");

let asked = false;

/** Loads it once; rooms call this when they are first shown. */
export async function askForLibrary(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    const { load, ropeOptionsFromConfig } = await import("ropewalk");
    const loaded = await load({ analysis: true });
    batch(() => {
      configReader.value = ropeOptionsFromConfig;
      library.value = loaded;
    });
  } catch (error) {
    asked = false;
    libraryFailure.value = error instanceof Error ? error.message : String(error);
  }
}
