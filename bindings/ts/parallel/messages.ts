/** What goes between a page, or a Node script, and a worker that holds a RoFormer. */
import type { Precision } from "../model/precision.js";
import type { RoFormerInput, RoFormerOutput, RoFormerWants } from "../model/roformer.js";

export interface Opening {
  /** model.wasm as compiled once: workers share the code, and each has a memory of its own. */
  module: WebAssembly.Module;
  config: object;
  weights: ArrayBuffer;
  precision: Precision;
}

export interface Opened {
  config: Readonly<Record<string, unknown>>;
  parameterCount: number;
  notes: readonly string[];
}

export interface Pass {
  input: RoFormerInput;
  wants: RoFormerWants;
}

/** What a worker says first, once its script runs. */
export interface Ready {
  ready: true;
}

export type Question = { open: Opening } | { forward: Pass };
export type Answer = { opened: Opened } | { output: RoFormerOutput } | { error: { name: string; message: string } };

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
