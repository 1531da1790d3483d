/** Calls to a worker that holds an encoder. */
import type { ReadInput } from "../model/encoder-input.js";
import type { EncoderOutput, ReadOutputs } from "../model/encoder-output.js";
import type { EncoderMakings, NativeFacts } from "../model/native-encoder.js";
import type { Int8Choice, Variant } from "../module/int8.js";
import type { ThreadCode } from "../module/threads.js";

export interface Opening {
  /** model.wasm as compiled once: workers share the code, and each has a memory of its own. */
  module: WebAssembly.Module;
  int8: Int8Choice;
  makings: EncoderMakings;
  /** Each file whole. */
  weights: ArrayBuffer[];
}

export type EncoderCalls = {
  open: { args: Opening; result: { facts: NativeFacts; variant: Variant } };
  forward: { args: { input: ReadInput; outputs: ReadOutputs }; result: EncoderOutput };
};

/** For a worker that is a thread of one call: places in the memory and the table of the module, and its number. */
export interface ThreadPlace extends ThreadCode {
  stack: number;
  int8Stack: number;
  restore: number;
  serve: number;
  fail: number;
  thread: number;
}

export type ThreadCalls = { thread: { args: ThreadPlace; result: null } };

/** The first message of a worker, once its script runs. */
export interface Ready {
  ready: true;
}
