import type { SearchModel } from "./calls.js";
import { examples } from "./examples.js";
import recorded from "./recorded.json" with { type: "json" };
import { linesOf } from "./texts.js";

/** recorded.json: the model of this site, and its cosines of the query and the texts with which the page opens. */
export interface Opening {
  readonly query: string;
  readonly model: SearchModel;
  readonly cosines: { readonly on: readonly number[]; readonly off: readonly number[] };
}

const opening: Opening = recorded;

/** Facts about the model of this site. */
export const shippedModel = opening.model;

/** The cosines with and without rotation as they were recorded; undefined where they have to be computed. */
export function recordedCosines(query: string, texts: readonly string[]) {
  if (query !== opening.query || texts.join("\n") !== linesOf(examples).join("\n")) return undefined;
  const { on, off } = opening.cosines;
  return { on: Float32Array.from(on), off: Float32Array.from(off) };
}
