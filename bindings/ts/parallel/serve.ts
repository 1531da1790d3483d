/** The worker's side: one RoFormer, one question at a time. */

import type { RoFormer } from "../model/roformer.js";
import type { Models } from "../train/open.js";
import type { Answer, Question, Ready } from "./messages.js";

type OpenModels = (module: WebAssembly.Module) => Promise<Models>;

/** What a worker's own side of the channel has: a worker of a page by `self`, a thread of Node by the same name. */
export interface Scope {
  postMessage(message: Answer | Ready, transfer: ArrayBuffer[]): void;
  onmessage: ((event: { data: Question }) => void) | null;
}

/** The arrays of an output go by transfer: nobody here needs them any more. */
function buffersOf(answer: Answer): ArrayBuffer[] {
  if (!("output" in answer)) return [];
  return Object.values(answer.output)
    .flat()
    .map((array: Float32Array<ArrayBuffer>) => array.buffer);
}

export function serve(openModels: OpenModels, scope: Scope): void {
  let model: RoFormer;
  const answerTo = async (question: Question): Promise<Answer> => {
    if ("forward" in question) return { output: model.forward(question.forward.input, question.forward.wants) };
    const { module, ...source } = question.open;
    model = await (await openModels(module)).roformer(source);
    return { opened: { config: model.config, parameterCount: model.parameterCount, notes: model.notes } };
  };
  scope.onmessage = async ({ data }) => {
    try {
      const answer = await answerTo(data);
      scope.postMessage(answer, buffersOf(answer));
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      scope.postMessage({ error: { name, message } }, []);
    }
  };
  scope.postMessage({ ready: true }, []);
}
