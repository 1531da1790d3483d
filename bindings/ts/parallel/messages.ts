/** Calls to a worker that holds an encoder. */
import type { ReadInput } from "../model/encoder-input.js";
import type { EncoderOutput, ReadOutputs } from "../model/encoder-output.js";
import type { EncoderSource, NativeFacts } from "../model/native-encoder.js";
import type { Int8Choice, Variant } from "../module/int8.js";
import type { ByteStream } from "../module/platform.js";
import type { ThreadPlace } from "../module/threads.js";

export interface Opening {
  /** model.wasm as compiled once: workers share the code, and each has a memory of its own. */
  module: WebAssembly.Module;
  int8: Int8Choice;
  source: EncoderSource;
  /** Files of weights, whose bytes follow as the worker asks for them. */
  weights: Pick<ByteStream, "size" | "name">[];
}

export interface Opened {
  facts: NativeFacts;
  variant: Variant;
}

/** An encoder that is open, or the index of the file of which it needs the next bytes, and the bytes of all where known. */
export type OpeningStep = Opened | { needs: number; total: number | undefined };

export type EncoderCalls = {
  open: { args: Opening; result: OpeningStep };
  /** The bytes that were needed; undefined: the file ends. */
  take: { args: Uint8Array | undefined; result: OpeningStep };
  forward: { args: { input: ReadInput; outputs: ReadOutputs }; result: EncoderOutput };
};

export type ThreadCalls = { thread: { args: ThreadPlace; result: null } };

/** The first message of a worker, once its script runs. */
export interface Ready {
  ready: true;
}
