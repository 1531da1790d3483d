import type { ModelRun } from "../../model/model-calls.js";
import { floatsOfText } from "../../text/float-text.js";
import address from "./recorded.json?url";

/** recorded.json: a run without its queries and keys, and with the floats of the others as text. */
export type Recorded = Pick<ModelRun, "text" | "unknown" | "tokens" | "masks" | "fills" | "heads" | "guesses"> & {
  readonly ids: readonly number[];
  readonly attentions: readonly string[];
  readonly scores: readonly string[];
};

export const runOfRecorded = ({ ids, attentions, scores, ...small }: Recorded): ModelRun => ({
  ...small,
  ids: Int32Array.from(ids),
  attentions: attentions.map(floatsOfText),
  scores: scores.map(floatsOfText),
  rotated: { queries: [], keys: [] },
  plain: { queries: [], keys: [] },
  thetas: [],
});

/** The answer to the opening sentence as it was recorded; undefined where it cannot be had. */
export async function recordedRun(): Promise<ModelRun | undefined> {
  try {
    return runOfRecorded((await (await fetch(address)).json()) as Recorded);
  } catch {
    // The page waits for its model.
    return undefined;
  }
}
