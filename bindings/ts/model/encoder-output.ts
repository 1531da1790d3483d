/** The outputs that a pass may be asked for, and their shapes. */
import { optionsObject, wholeNumber } from "../module/errors.js";
import { POOLINGS } from "../module/numbers.js";
import { refuse } from "./refuse.js";

/** How the hidden states of a text become one vector. */
export type Pooling = "cls" | "mean" | "last" | "max" | "mean_sqrt_len" | "weightedmean";

/** Float32Array in a buffer of its own, so that Blob, IndexedDB and postMessage accept it. */
export type Floats = Float32Array<ArrayBuffer>;

/** Outputs to return. `logits` is true unless given, the others are false. */
export interface EncoderOutputs {
  /** Returns the logits of every head that the checkpoint has. Default true. */
  logits?: boolean | undefined;
  /** Returns `hiddenStates`, of every layer. Default false. */
  hiddenStates?: boolean | undefined;
  /** Returns `attentions`. Default false. */
  attentions?: boolean | undefined;
  /** Returns `scores`: attention before the softmax. Default false. */
  scores?: boolean | undefined;
  /** Returns `rotatedQueries` and `rotatedKeys`. Default false. */
  rotatedQK?: boolean | undefined;
  /** Returns `contacts`, of ESM-2. Default false. */
  contacts?: boolean | undefined;
  /** Returns `pooled` and `sentenceEmbedding`. Default false. */
  pooled?: boolean | undefined;
  /** Overrides the model's own pooling. */
  pooling?: Pooling | undefined;
  /** Leading tokens that pooling leaves out, for models with `include_prompt: false`. Default 0. */
  promptTokens?: number | undefined;
  /** Returns `tokenVectors`, of models for late interaction. Default false. */
  tokens?: boolean | undefined;
  /** Returns `sparse`, of SPLADE. Default false. */
  sparse?: boolean | undefined;
}

export interface EncoderOutput {
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
  /**
   * For each layer, the queries and keys as the scores see them: [B, T, H, D] and [B, T, K, D]. With RoPE++ those of the
   * real heads, [B, T, H/2, D] each; with PoPE what its magnitudes are made of.
   */
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
  /** [B, n] after pooling. */
  pooled?: Floats;
  /** [B, dimensions] after all modules in modules.json. */
  sentenceEmbedding?: Floats;
  /**
   * [B, labels] of a model with a sequence classification head: its logits under the activation that config.json
   * names; otherwise a sigmoid for one label, the logits for more.
   */
  relevance?: Floats;
  /** Probability that two residues touch, 0 to 1, [B, T - 2, T - 2] of ESM-2: without the tokens that begin and end the sequence. */
  contacts?: Floats;
  /** [B, T, n] after the modules, each row of unit length; rows of padding are 0. */
  tokenVectors?: Floats;
  /** [B, V]: the weight of every word. */
  sparse?: Floats;
}

/** An embedding's normalisation and its length, as `embed` asks for them. */
export interface VectorOptions {
  /** Unset: as modules.json says. */
  normalize?: boolean;
  /** 0: all. */
  dimensions: number;
}

/** Every output, asked for or not, as numbers and nothing that belongs to the caller. */
export interface ReadOutputs extends Required<Omit<EncoderOutputs, "pooling">> {
  pooling?: Pooling;
  vector: VectorOptions;
}

export function readPooling(fn: string, pooling: Pooling | undefined): { pooling?: Pooling } {
  if (pooling === undefined) return {};
  if (POOLINGS.includes(pooling)) return { pooling };
  throw refuse.range(fn, "pooling", pooling, POOLINGS.map((name) => `"${name}"`).join(", "));
}

const OUTPUTS =
  "logits hiddenStates attentions scores rotatedQK contacts pooled pooling promptTokens tokens sparse".split(" ");

export function readOutputs(fn: string, outputs: EncoderOutputs): ReadOutputs {
  const all = optionsObject(fn, "outputs", outputs, OUTPUTS);
  const {
    logits = true,
    hiddenStates,
    attentions,
    scores,
    rotatedQK,
    contacts,
    pooled,
    promptTokens = 0,
    tokens,
    sparse,
  } = all;
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
    tokens: Boolean(tokens),
    sparse: Boolean(sparse),
    vector: { dimensions: 0 },
  };
}

/** No output but `outputs`. */
export const onlyOutputs = (outputs: Partial<ReadOutputs>): ReadOutputs => ({
  ...readOutputs("forward", { logits: false }),
  ...outputs,
});
