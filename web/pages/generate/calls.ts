import type { RotationPart } from "ropewalk";
import type { Source } from "../../model/source.js";
import type { How, Log, Operation } from "./log.js";
import type { RopeFacts } from "./rules.js";

/** Calls to the worker that holds the decoder. */
export interface GenerateModel {
  readonly name: string;
  readonly modelType: string;
  readonly parameters: number;
  readonly layers: number;
  /** Tokens that a cache may hold. */
  readonly context: number;
  /** The rope that it was trained with. */
  readonly rope: RopeFacts;
  readonly notes: readonly string[];
  readonly shipped: boolean;
}

export interface Token {
  readonly id: number;
  readonly text: string;
  readonly origin: "prompt" | "written" | "forced" | "appended";
  /** The position at which its key was first rotated. */
  readonly first: number;
  /** True if it ends a text. */
  readonly end: boolean;
}

/** A token that may come next. */
export interface Word {
  readonly id: number;
  readonly text: string;
  readonly probability: number;
}

/** One of the caches that are compared after an operation. */
export interface Lane {
  readonly how: How;
  /** Probabilities of `Comparison.words`. */
  readonly probabilities: readonly number[];
  /** KL(afresh || this) of the next token, in nats. */
  readonly divergence: number;
  readonly milliseconds: number;
  /** For each layer the largest change of a key against those of a fresh pass, as a share of the key's length. */
  readonly keys: readonly number[];
  /** How the text goes on from here. */
  readonly continuation: string;
}

export interface Comparison {
  readonly operation: Operation;
  readonly words: readonly { readonly id: number; readonly text: string }[];
  /** Probabilities of the words before the operation. */
  readonly before: readonly number[];
  readonly lanes: readonly Lane[];
}

export interface Session {
  readonly tokens: readonly Token[];
  /** The likeliest next tokens. */
  readonly next: readonly Word[];
  /** Token ids of the prompt, and of each chunk that was appended. */
  readonly prompt: readonly number[];
  readonly chunks: readonly (readonly number[])[];
  readonly bytes: number;
  /** The library's description of the cache. */
  readonly explain: string;
  /** Compares the ways to do the last operation in the log. */
  readonly comparison: Comparison | undefined;
}

export interface RunArguments {
  readonly prompt: string;
  readonly log: Log;
  /** Sampling of continuations. */
  readonly temperature: number;
  readonly seed: number;
}

/** The model's loss on a text, and its next tokens. */
export interface Look {
  /** The mean negative log probability of its tokens behind the first, in nats. */
  readonly loss: number;
  /** The likeliest next tokens. */
  readonly next: readonly Word[];
}

export type GenerateCalls = {
  /** Opens a model of this site, of the hub, or files that the visitor chose. It replaces the one before once it is sound. */
  open: {
    args: Source;
    result: GenerateModel;
  };
  run: { args: RunArguments; result: Session };
  /** Without a part of the rotation, if one is given. undefined: the model does not rotate that part. */
  look: { args: { readonly ids: readonly number[]; readonly part?: RotationPart }; result: Look | undefined };
};
