import { signal } from "@preact/signals";
import { shippedFolder } from "./model.js";

interface Recall {
  readonly recallAt1: number;
  readonly recallAt10: number;
}

/** report.json of the shipped encoder, which `npm run train -- --model embedder` writes. */
export interface Report {
  readonly training: { readonly frames: number; readonly phrasings: number };
  readonly heldOutPhrasings: {
    readonly phrasings: number;
    readonly candidates: number;
    readonly methods: Readonly<Record<"model" | "withoutRotation" | "bm25" | "meanOfItsWordVectors", Recall>>;
  };
}

export const report = signal<Report | undefined>(undefined);

export async function readReport(): Promise<void> {
  try {
    report.value = (await (await fetch(`${shippedFolder}report.json`)).json()) as Report;
  } catch {
    // The page works without its figures.
  }
}
