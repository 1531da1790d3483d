/** Messages between a page, or a Node script, and a worker that holds an encoder. */
import type { ReadInput } from "../model/encoder-input.js";
import type { EncoderOutput, ReadOutputs } from "../model/encoder-output.js";
import type { EncoderMakings, NativeFacts } from "../model/native-encoder.js";

export interface Opening {
  /** model.wasm as compiled once: workers share the code, and each has a memory of its own. */
  module: WebAssembly.Module;
  makings: EncoderMakings;
  /** Each file whole. */
  weights: ArrayBuffer[];
}

export interface Pass {
  input: ReadInput;
  outputs: ReadOutputs;
}

/** The first message of a worker, once its script runs. */
export interface Ready {
  ready: true;
}

/** An error on its way: the other side makes it anew from these parts. */
export interface SentError {
  name: string;
  message: string;
  /** As ErrorDetails has them, as far as they can be copied. */
  details: object;
}

export type Question = { open: Opening } | { forward: Pass };
export type Answer = { opened: NativeFacts } | { output: EncoderOutput } | { error: SentError };

/** One worker whose script runs, in whatever way the platform has workers. One question at a time; each gets one answer. */
export interface Channel {
  post(question: Question): void;
  /** Set by the side that asks. */
  onAnswer: (answer: Answer) => void;
  onFailure: (error: Error) => void;
  /** Whether the process should wait for the worker; pages do not care. */
  hold(busy: boolean): void;
  close(): void;
}
