/** The worker's side: one RoFormer, one question at a time. */

import type { RoFormer } from "../model/roformer.js";
import type { Models } from "../train/open.js";
import type { Answer, Question } from "./messages.js";

type OpenModels = (module: WebAssembly.Module) => Promise<Models>;

/** The arrays of an output go by transfer: nobody here needs them any more. */
function buffersOf(answer: Answer): ArrayBuffer[] {
  if (!("output" in answer)) return [];
  return Object.values(answer.output)
    .flat()
    .map((array: Float32Array<ArrayBuffer>) => array.buffer);
}

export function serve(openModels: OpenModels, post: (answer: Answer, transfer: ArrayBuffer[]) => void) {
  let model: RoFormer;
  const answerTo = async (question: Question): Promise<Answer> => {
    if ("forward" in question) return { output: model.forward(question.forward.input, question.forward.wants) };
    const { module, ...source } = question.open;
    model = await (await openModels(module)).roformer(source);
    return { opened: { config: model.config, parameterCount: model.parameterCount, notes: model.notes } };
  };
  return async (question: Question): Promise<void> => {
    try {
      const answer = await answerTo(question);
      post(answer, buffersOf(answer));
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      post({ error: { name, message } }, []);
    }
  };
}
