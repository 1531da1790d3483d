/** The worker's side: one encoder, one question at a time. */
import { runForward } from "../model/encoder-forward.js";
import { factsOf, openNativeEncoder } from "../model/native-encoder.js";
import { Core } from "../module/core.js";
import { Handle } from "../module/handle.js";
import type { NativeEncoder, NativeModel } from "../module/native.js";
import type { Answer, Opening, Pass, Question, Ready, SentError } from "./messages.js";

type StartModule = (module: WebAssembly.Module) => Promise<NativeModel>;

/** A worker's own side of the channel: `self` in a worker of a page, an object of that name in a thread of Node. */
export interface Scope {
  postMessage(message: Answer | Ready, transfer: ArrayBuffer[]): void;
  onmessage: ((event: { data: Question }) => void) | null;
}

/** The encoder that this worker was opened with. It lives as long as the worker. */
class WorkerEncoder extends Handle {
  readonly #core: Core<NativeModel>;
  readonly #native: NativeEncoder;

  constructor(core: Core<NativeModel>, native: NativeEncoder) {
    super(core.owner, "Encoder", () => native.delete());
    this.#core = core;
    this.#native = native;
  }

  answer({ input, outputs }: Pass): Answer {
    return { output: runForward(this.#core, this, this.#native, input, outputs) };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

async function open(start: StartModule, { module, makings, weights }: Opening): Promise<[WorkerEncoder, Answer]> {
  const core = new Core(await start(module));
  const streams = weights.map((file) => ({ size: file.byteLength, chunks: once(new Uint8Array(file)) }));
  const native = await openNativeEncoder(core, makings, streams, {});
  return [new WorkerEncoder(core, native), { opened: factsOf(core, native, makings.sentence.length > 0) }];
}

/** The arrays of an output go by transfer: nobody here needs them any more. */
function buffersOf(answer: Answer): ArrayBuffer[] {
  if (!("output" in answer)) return [];
  return Object.values(answer.output)
    .flat()
    .map((array: Float32Array<ArrayBuffer>) => array.buffer);
}

function sent(reason: unknown): SentError {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  const details = Object.entries(error).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return { name: error.name, message: error.message, details: Object.fromEntries(details) };
}

export function serve(start: StartModule, scope: Scope): void {
  let model: WorkerEncoder;
  const answerTo = async (question: Question): Promise<Answer> => {
    if ("forward" in question) return model.answer(question.forward);
    const [opened, answer] = await open(start, question.open);
    model = opened;
    return answer;
  };
  scope.onmessage = async ({ data }) => {
    try {
      const answer = await answerTo(data);
      scope.postMessage(answer, buffersOf(answer));
    } catch (error) {
      scope.postMessage({ error: sent(error) }, []);
    }
  };
  scope.postMessage({ ready: true }, []);
}
