/** Calls of the pages that train to their workers. A worker holds any number of runs, by their names. */
import type { Evaluation, OptimizerOptions, TaskName } from "ropewalk";

export interface RunSpec {
  readonly run: string;
  /** Its `vocab_size` is the task's where it has none. */
  readonly config: Readonly<Record<string, unknown>> & { readonly position_encoding: string };
  /** A task of the library, or the letters of letters.ts. A decoder learns the token that follows. */
  readonly task: { readonly name: TaskName | "letters"; readonly distance: number; readonly seed: number };
  readonly seed: number;
  readonly optimizer: OptimizerOptions;
  /** Sequences of a step and tokens of a sequence. */
  readonly batch: number;
  readonly sequence: number;
}

export interface Begun {
  readonly parameters: number;
  readonly symbols: readonly string[];
  readonly chance: number;
  readonly description: string;
}

/** The learned receptive field: alpha and rho, layer by layer, head by head. */
export interface Fields {
  readonly alpha: readonly number[];
  readonly rho: readonly number[];
}

/** After some steps. */
export interface Point {
  readonly step: number;
  /** Mean over the steps since the last point; NaN before the first step. */
  readonly training: number;
  /** On sequences as long as those of training, and twice as long. */
  readonly once: Evaluation;
  readonly twice: Evaluation;
  readonly fields: Fields | undefined;
}

/** A question as it is put to the model, with what is hidden shown as [MASK]. */
export interface Weights {
  readonly weights: Uint8Array<ArrayBuffer>;
  readonly sample: readonly string[];
}

export type TrainCalls = {
  begin: { args: RunSpec; result: Begun };
  /** Takes so many steps, then evaluates; 0 steps only evaluate. */
  advance: { args: { readonly run: string; readonly steps: number; readonly rows: number }; result: Point };
  /** The score of the best possible guesser on the sequences of an evaluation. */
  best: { args: { readonly run: string; readonly rows: number }; result: Evaluation };
  /** Evaluates the weights as they are in a model with those keys of its config.json changed: nothing is trained. */
  test: {
    args: {
      readonly run: string;
      readonly change: Readonly<Record<string, unknown>>;
      readonly rows: number;
      readonly sequence: number;
    };
    result: Evaluation;
  };
  weights: { args: { readonly run: string }; result: Weights };
  end: { args: { readonly run: string }; result: undefined };
};
