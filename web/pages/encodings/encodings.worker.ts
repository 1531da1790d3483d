/// <reference lib="webworker" />
import { type Encoder, load, type PositionEncoding } from "ropewalk";
import { serve } from "../../worker/rpc.js";
import type { EncodingAnswer, EncodingCalls } from "./calls.js";
import { modelOf, weightsOf } from "./models.js";
import { answerOf } from "./views.js";

/** The models of the last seed. */
let models = new Map<PositionEncoding, Encoder>();
let drawnFrom = 0;

async function modelFor(encoding: PositionEncoding, seed: number): Promise<Encoder> {
  if (seed !== drawnFrom) {
    for (const model of models.values()) model.dispose();
    models = new Map();
    drawnFrom = seed;
  }
  const known = models.get(encoding);
  if (known) return known;
  const made = await modelOf(await load(), encoding, seed);
  models.set(encoding, made);
  return made;
}

serve<EncodingCalls>(self as unknown as DedicatedWorkerGlobalScope, {
  async encodings({ encodings, words, seed, head, shift, pair }, { signal, progress }) {
    const answers: EncodingAnswer[] = [];
    for (const encoding of encodings) {
      const model = await modelFor(encoding, seed);
      signal.throwIfAborted();
      answers.push(answerOf(model, encoding, words, head, shift, pair));
      progress(answers.length, encodings.length);
    }
    return { result: answers };
  },
  async weights({ encoding, seed }) {
    const result = await weightsOf(await load(), encoding, seed);
    return { result, transfer: [result.buffer] };
  },
});
