import { batch, signal } from "@preact/signals";
import type { checkRope, ggufMetadata, parsePrintedNumbers, Ropewalk, ropeOptionsFromConfig } from "ropewalk";

/** The library on this thread, for work that takes microseconds; models run in a worker of their own. */
export const library = signal<Ropewalk | undefined>(undefined);
/** The same with what reads configurations, explains and analyses: as large again, so that only its pages ask for it. */
export const analyst = signal<Ropewalk | undefined>(undefined);
/** Reads configurations of published models; there as soon as `analyst` is. */
export const configReader = signal<typeof ropeOptionsFromConfig | undefined>(undefined);
/** Compares readers, judges tables and opens GGUF files; there as soon as `analyst` is. */
export const checker = signal<
  { check: typeof checkRope; parse: typeof parsePrintedNumbers; gguf: typeof ggufMetadata } | undefined
>(undefined);
export const libraryFailure = signal("");

let asking: Promise<void> | undefined;
let askingAnalyst: Promise<void> | undefined;

/** Asks again the next time after a failure. */
async function attempt(load: () => Promise<void>, forget: () => void): Promise<void> {
  try {
    libraryFailure.value = "";
    await load();
  } catch (error) {
    forget();
    libraryFailure.value = error instanceof Error ? error.message : String(error);
  }
}

/** Loads it once; pages call this when they are first shown. */
export async function askForLibrary(): Promise<void> {
  // The analysis build includes everything.
  if (askingAnalyst) await askingAnalyst;
  asking ??= attempt(
    async () => {
      const { load } = await import("ropewalk");
      library.value = analyst.value ?? (await load());
    },
    () => {
      asking = undefined;
    },
  );
  await asking;
}

/** For pages that analyse. */
export async function askForAnalyst(): Promise<void> {
  // Functions without an object of their own work in what was loaded last: never in one that lacks the analysis.
  if (asking) await asking;
  askingAnalyst ??= attempt(
    async () => {
      const { checkRope, ggufMetadata, load, parsePrintedNumbers, ropeOptionsFromConfig } = await import("ropewalk");
      const loaded = await load({ analysis: true });
      batch(() => {
        checker.value = { check: checkRope, parse: parsePrintedNumbers, gguf: ggufMetadata };
        configReader.value = ropeOptionsFromConfig;
        analyst.value = loaded;
      });
    },
    () => {
      askingAnalyst = undefined;
    },
  );
  await askingAnalyst;
}
