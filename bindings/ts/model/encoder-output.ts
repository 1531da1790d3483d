/** The outputs that a pass may be asked for, and their shapes. */
import { optionsObject, wholeNumber } from "../module/errors.js";
import { refuse } from "./refuse.js";

/** Float32Array in a buffer of its own, so that Blob, IndexedDB and postMessage accept it. */
export type Floats = Float32Array<ArrayBuffer>;

export interface RoFormerWants {
  /** Default true. */
  logits?: boolean;
  /** These four default to false. */
  hiddenStates?: boolean;
  attentions?: boolean;
  scores?: boolean;
  rotatedQK?: boolean;
}

/** How the hidden states of a text become one vector. */
export type Pooling = "cls" | "mean" | "last" | "max" | "mean_sqrt_len" | "weightedmean";

/** Outputs to return. `logits` is true unless given, the others are false. */
export interface EncoderOutputs extends RoFormerWants {
  /** Returns `contacts`, of ESM-2. */
  contacts?: boolean;
  /** Returns `pooled` and `sentenceEmbedding`. */
  pooled?: boolean;
  /** Overrides the model's own pooling. */
  pooling?: Pooling;
  /** Leading tokens that pooling leaves out, for models with `include_prompt: false`. Default 0. */
  promptTokens?: number;
}

export interface RoFormerOutput {
  /** [B, T, C] */
  lastHiddenState: Floats;
  /** [B, T, V], where the checkpoint has a masked-language-model head. */
  logits?: Floats;
  /** The L + 1 inputs and outputs of the layers, before the final norm: [B, T, C] each. */
  hiddenStates?: Floats[];
  /** For each layer, the probability of a query (row) for a key (column): [B, H, T, T]. */
  attentions?: Floats[];
  /**
   * For each layer, the scores whose softmax the attentions are, with what the position encoding adds, before padding is
   * hidden: [B, H, T, T]. None where attention takes no softmax: linear attention and performer.
   */
  scores?: Floats[];
  /** For each layer, the queries and keys as the scores see them: [B, T, H, D] and [B, T, K, D]. */
  rotatedQueries?: Floats[];
  rotatedKeys?: Floats[];
  /** [B, labels], where the checkpoint has a sequence classification head. */
  classLogits?: Floats;
  /** [B, T, labels], where the checkpoint has a token classification head. */
  tokenLogits?: Floats;
  /** [B, T] each, first and last token of an answer, where the checkpoint has a question answering head. */
  startLogits?: Floats;
  endLogits?: Floats;
  /** [B], where the checkpoint has a multiple choice head: from the last token of each, padding or not. */
  choiceLogits?: Floats;
}

export interface EncoderOutput extends RoFormerOutput {
  /** [B, n] after pooling. */
  pooled?: Floats;
  /** [B, dimensions] after all modules in modules.json. */
  sentenceEmbedding?: Floats;
  /**
   * [B, labels] of a model with a sequence classification head: its logits under the activation that config.json
   * names; otherwise a sigmoid for one label, the logits for more.
   */
  relevance?: Floats;
  /** [B, T - 2, T - 2] of ESM-2. */
  contacts?: Floats;
}

/** An embedding's normalisation and its length, as `embed` asks for them. */
export interface VectorOptions {
  /** Unset: as modules.json says. */
  normalize?: boolean;
  /** 0: all. */
  dimensions: number;
}

/** Every output, asked for or not, as numbers and nothing that belongs to the caller. */
export interface ReadOutputs extends Required<RoFormerWants> {
  contacts: boolean;
  pooled: boolean;
  pooling?: Pooling;
  promptTokens: number;
  vector: VectorOptions;
}

/** In the order of ropewalk::Pooling. */
export const POOLINGS: readonly Pooling[] = ["cls", "max", "mean", "mean_sqrt_len", "weightedmean", "last"];

export function readPooling(fn: string, pooling: Pooling | undefined): { pooling?: Pooling } {
  if (pooling === undefined) return {};
  if (POOLINGS.includes(pooling)) return { pooling };
  throw refuse.range(fn, "pooling", pooling, POOLINGS.map((name) => `"${name}"`).join(", "));
}

export function readOutputs(fn: string, outputs: EncoderOutputs): ReadOutputs {
  const all = optionsObject(fn, "outputs", outputs);
  const { logits = true, hiddenStates, attentions, scores, rotatedQK, contacts, pooled, promptTokens = 0 } = all;
  return {
    logits: Boolean(logits),
    hiddenStates: Boolean(hiddenStates),
    attentions: Boolean(attentions),
    scores: Boolean(scores),
    rotatedQK: Boolean(rotatedQK),
    contacts: Boolean(contacts),
    pooled: Boolean(pooled),
    ...readPooling(fn, all.pooling),
    promptTokens: wholeNumber(fn, "promptTokens", promptTokens),
    vector: { dimensions: 0 },
  };
}

/** Outputs of a pass that somebody asks for by what it does with them. */
export const onlyOutputs = (wanted: Partial<ReadOutputs>): ReadOutputs => ({
  ...readOutputs("forward", { logits: false }),
  ...wanted,
});
