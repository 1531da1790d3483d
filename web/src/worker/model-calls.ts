/** What the page asks of the worker that holds the model. Sizes: B batch (1 here), S tokens, H heads. */

/** Where a checkpoint comes from: files the visitor chose, or addresses of this site. */
export interface CheckpointSource {
  readonly name: string;
  readonly config: Blob | string;
  readonly weights: Blob | string;
  /** false: the same weights with no position encoding at all. */
  readonly rotation: boolean;
  readonly tokenizer: { readonly kind: "tokenizer.json" | "vocab.txt"; readonly from: Blob | string };
}

export interface ModelFacts {
  readonly name: string;
  readonly parameters: number;
  readonly layers: number;
  readonly heads: number;
  readonly hidden: number;
  readonly vocabulary: number;
  readonly bytes: number | undefined;
  readonly variant: string;
  readonly version: string;
  readonly milliseconds: number;
}

export interface Fill {
  readonly token: string;
  readonly probability: number;
}

export interface ModelRun {
  readonly text: string;
  readonly tokens: readonly string[];
  /** Which of `tokens` are masks, in order. */
  readonly masks: readonly number[];
  /** Per mask, most probable first. */
  readonly fills: ReadonlyArray<readonly Fill[]>;
  /** Per layer [H, S, S]: row i is what token i attends to; each row sums to 1. */
  readonly attentions: readonly Float32Array[];
  readonly heads: number;
  readonly milliseconds: { readonly tokenise: number; readonly forward: number; readonly fill: number };
}

export type ModelCalls = {
  /** Reads a checkpoint and, only when all of it is sound, puts it in the place of the one before. */
  open: { args: CheckpointSource; result: ModelFacts };
  run: { args: { readonly text: string; readonly topK: number }; result: ModelRun };
};
