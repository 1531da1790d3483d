import { load, type PositionEncoding, type RoFormer } from "ropewalk";
import { modelOf, weightsOf } from "../pages/encodings/models.js";
import { answerOf } from "../pages/encodings/views.js";
import type { EncodingAnswer, FigureCalls } from "./figure-calls.js";
import type { Service } from "./rpc.js";

/** The models of the last seed. */
let models = new Map<PositionEncoding, RoFormer>();
let drawnFrom = 0;

async function modelFor(encoding: PositionEncoding, seed: number): Promise<RoFormer> {
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

export const encodingsService: Pick<Service<FigureCalls>, "encodings" | "weights"> = {
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
};
