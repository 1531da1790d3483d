import type { Decoder } from "ropewalk";
import type { Comparison, GenerateModel, RunArguments, Session } from "./calls.js";
import { textOf, type Work } from "./held.js";
import type { Log } from "./log.js";
import { largest, probabilities } from "./numbers.js";
import { replay } from "./replay.js";
import { ropeFacts } from "./rules.js";

/** Tokens that a cache may hold: twice what the model of this site was trained on. */
export const CONTEXT = 512;
/** Next tokens that are shown. */
const SHOWN = 8;

/** The name that the page gives to the model of this site. */
export const shippedName = "The shipped decoder";

export function factsOf(opened: Decoder, name: string, shipped: boolean): GenerateModel {
  const { config, modelType, parameterCount: parameters, context, notes } = opened;
  const layers = Math.max(...opened.ropes.flatMap((each) => each.layers)) + 1;
  return { name, modelType, parameters, layers, context, rope: ropeFacts(config), notes, shipped };
}

/** The text after the prompt and the log, what may come next, and what `compared` finds about the last operation. */
export async function sessionOf(
  work: Work,
  { prompt, log }: Pick<RunArguments, "prompt"> & { readonly log: Log },
  progress: (done: number, total: number) => void,
  compared: () => Promise<Comparison | undefined>,
): Promise<Session> {
  const { model } = work;
  const { tokens, cache, logits } = await replay(work, prompt, log, progress);
  const comparison = await compared();
  const chances = probabilities(logits);
  const next = largest(chances, SHOWN).map((id) => ({ id, text: textOf(model, id), probability: chances[id]! }));
  const chunks = log.flatMap((entry) =>
    entry.op === "append" ? [model.encode(entry.text, { addSpecialTokens: false })] : [],
  );
  return {
    tokens,
    next,
    prompt: model.encode(prompt),
    chunks,
    bytes: cache.bytes,
    explain: cache.explain(),
    comparison,
  };
}
