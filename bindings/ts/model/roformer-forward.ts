/** One pass of the model: ids copied in, the wanted outputs copied out. */
import type { Core } from "../module/core.js";
import { optionsObject } from "../module/errors.js";
import type { NativeRoFormer } from "../module/native.js";
import { Scratch } from "../module/scratch.js";
import { copyInput, type RoFormerInput } from "./roformer-input.js";

export interface RoFormerWants {
  /** Default true. */
  logits?: boolean;
  /** These four default to false. */
  hiddenStates?: boolean;
  attentions?: boolean;
  scores?: boolean;
  rotatedQK?: boolean;
}

export interface RoFormerOutput {
  /** [B, S, hidden] */
  lastHiddenState: Float32Array;
  /** [B, S, vocabulary], where the checkpoint has a masked-language-model head. */
  logits?: Float32Array;
  /** The embeddings, then each layer's output: [B, S, hidden] each. */
  hiddenStates?: Float32Array[];
  /** Of each layer, the probability of a query (row) for a key (column): [B, H, S, S]. */
  attentions?: Float32Array[];
  /**
   * Of each layer, what those are the softmax of, with what the position encoding adds, before padding is hidden:
   * [B, H, S, S]. None where attention takes no softmax: linear attention and performer.
   */
  scores?: Float32Array[];
  /** Of each layer, as the scores see them: [B, S, H, D]. */
  rotatedQueries?: Float32Array[];
  rotatedKeys?: Float32Array[];
  /** [B, labels], where the checkpoint has a sequence classification head. */
  classLogits?: Float32Array;
  /** [B, S, labels], where the checkpoint has a token classification head. */
  tokenLogits?: Float32Array;
  /** [B, S] each, first and last token of an answer, where the checkpoint has a question answering head. */
  startLogits?: Float32Array;
  endLogits?: Float32Array;
  /** [B], where the checkpoint has a multiple choice head: from the last token of each, padding or not. */
  choiceLogits?: Float32Array;
}

/** Kinds of outputs, and bits of wants, as bindings/embind/roformer.cpp numbers them. */
const Kind = {
  lastHiddenState: 0,
  logits: 1,
  classLogits: 2,
  hiddenStates: 3,
  attentions: 4,
  rotatedQueries: 5,
  rotatedKeys: 6,
  scores: 7,
  tokenLogits: 8,
  startLogits: 9,
  endLogits: 10,
  choiceLogits: 11,
} as const;
const Want = { logits: 1, hiddenStates: 2, attentions: 4, rotatedQK: 8, scores: 16 } as const;

export function runForward(
  core: Core,
  native: NativeRoFormer,
  input: RoFormerInput,
  wants: RoFormerWants,
): RoFormerOutput {
  const fn = "forward";
  const {
    logits = true,
    hiddenStates = false,
    attentions = false,
    scores = false,
    rotatedQK = false,
  } = optionsObject(fn, "wants", wants);
  const bits =
    (logits ? Want.logits : 0) |
    (hiddenStates ? Want.hiddenStates : 0) |
    (attentions ? Want.attentions : 0) |
    (rotatedQK ? Want.rotatedQK : 0) |
    (scores ? Want.scores : 0);
  const scratch = new Scratch(core, fn);
  try {
    if (native.forward(...copyInput(core, scratch, fn, input), bits) !== 0) throw core.failure();
  } finally {
    scratch.free();
  }
  return outputs(core, native);
}

function outputs(core: Core, native: NativeRoFormer): RoFormerOutput {
  const copy = (kind: number, layer = 0): Float32Array | undefined => {
    const size = native.outputSize(kind, layer);
    return size === 0 ? undefined : core.float32(native.outputAddress(kind, layer), size).slice();
  };
  const layers = (kind: number): Float32Array[] | undefined => {
    const all: Float32Array[] = [];
    for (let each = copy(kind); each !== undefined; each = copy(kind, all.length)) all.push(each);
    return all.length === 0 ? undefined : all;
  };
  const output: RoFormerOutput = { lastHiddenState: copy(Kind.lastHiddenState) ?? new Float32Array() };
  for (const name of ["logits", "classLogits", "tokenLogits", "startLogits", "endLogits", "choiceLogits"] as const) {
    const values = copy(Kind[name]);
    if (values !== undefined) output[name] = values;
  }
  for (const name of ["hiddenStates", "attentions", "scores", "rotatedQueries", "rotatedKeys"] as const) {
    const values = layers(Kind[name]);
    if (values !== undefined) output[name] = values;
  }
  return output;
}
