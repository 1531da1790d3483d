/** One pass of the model: ids copied in, the wanted outputs copied out. */
import type { Core } from "../module/core.js";
import { camelCaseNames, optionsObject } from "../module/errors.js";
import type { Handle } from "../module/handle.js";
import type { NativeRoFormer } from "../module/native.js";
import { Scratch } from "../module/scratch.js";
import { copyInput, type RoFormerInput, readInput } from "./roformer-input.js";

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

/** Bits of wants, as bindings/embind/roformer.cpp numbers them. */
const Want = { logits: 1, hiddenStates: 2, attentions: 4, rotatedQK: 8, scores: 16 } as const;

/** Every want, given or not. */
export function readWants(fn: string, wants: RoFormerWants): Required<RoFormerWants> {
  const { logits = true, hiddenStates, attentions, scores, rotatedQK } = optionsObject(fn, "wants", wants);
  return {
    logits: Boolean(logits),
    hiddenStates: Boolean(hiddenStates),
    attentions: Boolean(attentions),
    scores: Boolean(scores),
    rotatedQK: Boolean(rotatedQK),
  };
}

/** `model` owns `native`, and may be disposed of while its input is read. */
export function runForward(
  core: Core,
  model: Handle,
  native: NativeRoFormer,
  input: RoFormerInput,
  wants: RoFormerWants,
): RoFormerOutput {
  const fn = "forward";
  const { logits, hiddenStates, attentions, scores, rotatedQK } = readWants(fn, wants);
  const bits =
    (logits ? Want.logits : 0) |
    (hiddenStates ? Want.hiddenStates : 0) |
    (attentions ? Want.attentions : 0) |
    (rotatedQK ? Want.rotatedQK : 0) |
    (scores ? Want.scores : 0);
  const read = readInput(fn, input);
  model.addressFor(fn);
  const scratch = new Scratch(core, fn);
  try {
    if (native.forward(...copyInput(scratch, read), bits) !== 0) throw core.failure();
  } finally {
    scratch.free();
  }
  return outputs(core, native);
}

/** Outputs come by name: those that there is one of for each layer become lists. */
function outputs(core: Core, native: NativeRoFormer): RoFormerOutput {
  const output: Record<string, Float32Array | Float32Array[]> = {};
  const count = native.outputCount();
  for (let i = 0; i < count; i++) {
    native.outputName(i);
    const name = camelCaseNames(core.text());
    const values = core.float32(native.outputAddress(i), native.outputSize(i)).slice();
    if (native.outputLayer(i) < 0) {
      output[name] = values;
      continue;
    }
    const layers = (output[name] ?? []) as Float32Array[];
    layers.push(values);
    output[name] = layers;
  }
  return output as unknown as RoFormerOutput;
}
