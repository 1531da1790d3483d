/** One pass of the model: ids copied in, the wanted outputs copied out. */
import { type Core, Scratch } from "./core.js";
import { checkArrayLike, optionsObject, refusal, wholeNumber } from "./errors.js";
import type { NativeRoFormer } from "./module.js";

/** B sequences of S tokens each, one after the other: B*S values per array. */
export interface RoFormerInput {
  inputIds: ArrayLike<number>;
  /** B. Default 1. */
  batch?: number;
  /** S */
  sequence: number;
  /** Default all 0. */
  tokenTypeIds?: ArrayLike<number>;
  /** 1 for tokens, 0 for padding. Default all 1. Positions count from 0 whatever it says. */
  attentionMask?: ArrayLike<number>;
}

export interface RoFormerWants {
  /** Default true. */
  logits?: boolean;
  /** These three default to false. */
  hiddenStates?: boolean;
  attentions?: boolean;
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
  /** Of each layer, as the scores see them: [B, S, H, D]. */
  rotatedQueries?: Float32Array[];
  rotatedKeys?: Float32Array[];
  /** [B, labels], where the checkpoint has a sequence classification head. */
  classLogits?: Float32Array;
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
} as const;
const Want = { logits: 1, hiddenStates: 2, attentions: 4, rotatedQK: 8 } as const;

/** Copies whole numbers in; ranges are for C++, but it could not see what was rounded on the way. */
function integers(core: Core, scratch: Scratch, name: string, values: ArrayLike<number> | undefined): [number, number] {
  if (values === undefined) return [0, 0];
  checkArrayLike("forward", name, values);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (typeof value !== "number" || (value | 0) !== value) {
      throw new RangeError(refusal("forward", `${name}[${i}]`, value, "a whole number"));
    }
  }
  const address = scratch.allocate(name, values.length * 4);
  core.int32(address, values.length).set(values);
  return [address, values.length];
}

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
    rotatedQK = false,
  } = optionsObject(fn, "wants", wants);
  const batch = input.batch === undefined ? 1 : wholeNumber(fn, "batch", input.batch);
  const sequence = wholeNumber(fn, "sequence", input.sequence);
  checkArrayLike(fn, "inputIds", input.inputIds);
  const bits =
    (logits ? Want.logits : 0) |
    (hiddenStates ? Want.hiddenStates : 0) |
    (attentions ? Want.attentions : 0) |
    (rotatedQK ? Want.rotatedQK : 0);
  const scratch = new Scratch(core, fn);
  try {
    const ids = integers(core, scratch, "inputIds", input.inputIds);
    const types = integers(core, scratch, "tokenTypeIds", input.tokenTypeIds);
    const mask = integers(core, scratch, "attentionMask", input.attentionMask);
    if (native.forward(...ids, ...types, ...mask, batch, sequence, bits) !== 0) throw core.failure();
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
  for (const name of ["logits", "classLogits"] as const) {
    const values = copy(Kind[name]);
    if (values !== undefined) output[name] = values;
  }
  for (const name of ["hiddenStates", "attentions", "rotatedQueries", "rotatedKeys"] as const) {
    const values = layers(Kind[name]);
    if (values !== undefined) output[name] = values;
  }
  return output;
}
