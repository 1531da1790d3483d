import type { Decoder, KeyCache } from "ropewalk";
import type { Comparison, GenerateCalls, GenerateModel, Look, RunArguments, Session, Word } from "./calls.js";
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

function nextOf(model: Decoder, logits: Float32Array): Word[] {
  const chances = probabilities(logits);
  return largest(chances, SHOWN).map((id) => ({ id, text: textOf(model, id), probability: chances[id]! }));
}

/** Tokens whose logits are in memory at a time. */
const PIECE = 32;

export function look(model: Decoder, { ids, part }: GenerateCalls["look"]["args"]): Look | undefined {
  let cache: KeyCache;
  try {
    cache = model.cache(part && { withoutRotation: [part] });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  try {
    let loss = 0;
    let last = new Float32Array();
    for (let at = 0; at < ids.length; at += PIECE) {
      const fed = ids.slice(at, at + PIECE);
      const logits = cache.feed(fed, { all: true });
      for (let t = 0; t < fed.length; t++) {
        last = logits.subarray((t * logits.length) / fed.length, ((t + 1) * logits.length) / fed.length);
        const next = ids[at + t + 1];
        if (next !== undefined) loss -= Math.log(probabilities(last)[next]!);
      }
    }
    return { loss: loss / (ids.length - 1), next: nextOf(model, last) };
  } finally {
    cache.dispose();
  }
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
  const chunks = log.flatMap((entry) =>
    entry.op === "append" ? [model.encode(entry.text, { addSpecialTokens: false })] : [],
  );
  return {
    tokens,
    next: nextOf(model, logits),
    prompt: model.encode(prompt),
    chunks,
    bytes: cache.bytes,
    explain: cache.explain(),
    comparison,
  };
}
