/** Calls to a worker that holds an encoder. */
import type { ReadInput } from "../model/encoder-input.js";
import type { EncoderOutput, ReadOutputs } from "../model/encoder-output.js";
import type { EncoderSource, NativeFacts } from "../model/native-encoder.js";
import type { Int8Choice, Variant } from "../module/int8.js";
import type { ThreadPlace } from "../module/threads.js";

export interface Opening {
  /** model.wasm as compiled once: workers share the code, and each has a memory of its own. */
  module: WebAssembly.Module;
  int8: Int8Choice;
  source: EncoderSource;
  /** Each file whole. Memory that workers share, where the host has such; else every worker gets a copy. */
  weights: ArrayBufferLike[];
}

export type EncoderCalls = {
  open: { args: Opening; result: { facts: NativeFacts; variant: Variant } };
  forward: { args: { input: ReadInput; outputs: ReadOutputs }; result: EncoderOutput };
};

export type ThreadCalls = { thread: { args: ThreadPlace; result: null } };

/** The first message of a worker, once its script runs. */
export interface Ready {
  ready: true;
}
