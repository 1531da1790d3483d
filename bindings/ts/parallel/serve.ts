/** The worker's side: one encoder, one call at a time; or one thread of another's calls. */
import { runForward } from "../model/encoder-forward.js";
import type { EncoderOutput } from "../model/encoder-output.js";
import { factsOf, openNativeEncoder } from "../model/native-encoder.js";
import { Core } from "../module/core.js";
import { Handle } from "../module/handle.js";
import { useInt8 } from "../module/int8.js";
import type { NativeEncoder, NativeModel } from "../module/native.js";
import { type Scope, serve } from "./calls.js";
import type { EncoderCalls, Opening, Ready, ThreadCalls } from "./messages.js";
import { makeThread } from "./thread.js";

type StartModule = (module: WebAssembly.Module) => Promise<NativeModel>;

/** The encoder that this worker was opened with. It lives as long as the worker. */
class WorkerEncoder extends Handle {
  readonly #core: Core<NativeModel>;
  readonly #native: NativeEncoder;

  constructor(core: Core<NativeModel>, native: NativeEncoder) {
    super(core.owner, "Encoder", () => native.delete());
    this.#core = core;
    this.#native = native;
  }

  forward({ input, outputs }: EncoderCalls["forward"]["args"]): EncoderOutput {
    return runForward(this.#core, this, this.#native, input, outputs);
  }
}

/** Bytes that the module takes at a time: it holds no more of a file than this. */
const PIECE = 1 << 20;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** The arrays of an output go by transfer: nobody here needs them any more. */
const buffersOf = (output: EncoderOutput): ArrayBuffer[] =>
  Object.values(output)
    .flat()
    .map((array: Float32Array<ArrayBuffer>) => array.buffer);

export function serveEncoder(start: StartModule, scope: Scope): void {
  let model: WorkerEncoder;
  const open = async ({ module, int8, source, weights }: Opening) => {
    const core = new Core(await start(module));
    const variant = await useInt8(core.native, int8);
    const streams = weights.map((file) => ({ size: file.byteLength, chunks: inPieces(new Uint8Array(file)) }));
    const native = await openNativeEncoder(core, source, streams, {});
    model = new WorkerEncoder(core, native);
    return { result: { facts: factsOf(core, native, source.sentence.length > 0), variant } };
  };
  const forward = async (args: EncoderCalls["forward"]["args"]) => {
    const result = model.forward(args);
    return { result, transfer: buffersOf(result) };
  };
  const thread = async (args: ThreadCalls["thread"]["args"]) => {
    // After the answer, since the thread never returns.
    setTimeout(await makeThread(args));
    return { result: null };
  };
  serve<EncoderCalls & ThreadCalls>(scope, { open, forward, thread }, { atOnce: true });
  scope.postMessage({ ready: true } satisfies Ready, []);
}
