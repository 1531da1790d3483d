/** The worker's side: one encoder, one call at a time; or one thread of another's calls. */
import { runForward } from "../model/encoder-forward.js";
import type { EncoderOutput } from "../model/encoder-output.js";
import { factsOf, openNativeEncoder } from "../model/native-encoder.js";
import { Core } from "../module/core.js";
import { Handle } from "../module/handle.js";
import { useInt8 } from "../module/int8.js";
import type { NativeEncoder, NativeModel } from "../module/native.js";
import type { ByteStream } from "../module/platform.js";
import { type Scope, serve } from "./calls.js";
import type { EncoderCalls, Opened, Opening, OpeningStep, Ready, ThreadCalls } from "./messages.js";
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

/** Files whose bytes come from the calling thread, in the order in which the loader reads them. */
class Supply {
  /** Bytes of all files, from when their headers are there. */
  total: number | undefined;
  #ask: (file: number) => void = () => {};
  #give: (bytes: Uint8Array | undefined) => void = () => {};

  /** The step that ends the work of `made` on what it has: bytes are given, and it is done or needs more. */
  next(made: () => Promise<Opened>): Promise<OpeningStep> {
    const needed = new Promise<OpeningStep>((resolve) => {
      this.#ask = (needs) => resolve({ needs, total: this.total });
    });
    return Promise.race([made(), needed]);
  }

  give(bytes: Uint8Array | undefined): void {
    this.#give(bytes);
  }

  async *chunks(file: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const bytes = await new Promise<Uint8Array | undefined>((resolve) => {
        this.#give = resolve;
        this.#ask(file);
      });
      if (bytes === undefined) return;
      yield bytes;
    }
  }
}

/** The arrays of an output go by transfer: nobody here needs them any more. */
const buffersOf = (output: EncoderOutput): ArrayBuffer[] =>
  Object.values(output)
    .flat()
    .map((array: Float32Array<ArrayBuffer>) => array.buffer);

export function serveEncoder(start: StartModule, scope: Scope): void {
  let model: WorkerEncoder;
  const supply = new Supply();
  let opening: Promise<Opened>;
  const opened = async ({ module, int8, source, weights }: Opening): Promise<Opened> => {
    const core = new Core(await start(module));
    const variant = await useInt8(core.native, int8);
    const streams = weights.map((file, i): ByteStream => ({ ...file, chunks: supply.chunks(i) }));
    const native = await openNativeEncoder(core, source, streams, {
      onProgress: (_, total) => {
        supply.total = total;
      },
    });
    model = new WorkerEncoder(core, native);
    return { facts: factsOf(core, native, source.sentence.length > 0), variant };
  };
  const open = async (args: Opening) => {
    const result = await supply.next(() => {
      opening = opened(args);
      return opening;
    });
    return { result };
  };
  const take = async (bytes: EncoderCalls["take"]["args"]) => {
    const result = await supply.next(() => {
      supply.give(bytes);
      return opening;
    });
    return { result };
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
  serve<EncoderCalls & ThreadCalls>(scope, { open, take, forward, thread }, { atOnce: true });
  scope.postMessage({ ready: true } satisfies Ready, []);
}
