import { signal } from "@preact/signals";
import { shippedFolder } from "./model.js";

interface Written {
  readonly temperature: number;
  readonly texts: number;
  readonly accepted: number;
  readonly distinct: number;
  readonly absentFromTraining: number;
}

/** report.json of the shipped decoder, which `npm run train -- --model decoder` writes. */
export interface Report {
  readonly model: {
    readonly parameters: number;
    readonly layers: number;
    readonly heads: number;
    readonly keyHeads: number;
  };
  readonly training: {
    readonly tokens: number;
    readonly seconds: number;
    readonly threads: number;
    readonly sequence: number;
  };
  readonly heldOut: { readonly texts: number; readonly loss: number; readonly entropyOfTheGrammar: number };
  readonly written: readonly Written[];
  readonly drawnFromTheGrammar: Omit<Written, "temperature">;
}

export const report = signal<Report | undefined>(undefined);

export async function readReport(): Promise<void> {
  try {
    report.value = (await (await fetch(`${shippedFolder}report.json`)).json()) as Report;
  } catch {
    // The page works without its figures.
  }
}
