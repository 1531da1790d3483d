/** What goes into a pass of the model, and its way into the module. */
import type { Core } from "../module/core.js";
import { checkArrayLike, refusal, wholeNumber } from "../module/errors.js";
import type { Scratch } from "../module/scratch.js";

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

/** Copies whole numbers in; ranges are for C++, but it could not see what was rounded on the way. */
export function integers(
  core: Core,
  scratch: Scratch,
  fn: string,
  name: string,
  values: ArrayLike<number> | undefined,
): [address: number, count: number] {
  if (values === undefined) return [0, 0];
  checkArrayLike(fn, name, values);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (typeof value !== "number" || (value | 0) !== value) {
      throw new RangeError(refusal(fn, `${name}[${i}]`, value, "a whole number"));
    }
  }
  const address = scratch.allocate(name, values.length * 4);
  core.int32(address, values.length).set(values);
  return [address, values.length];
}

/** Copies numbers in as float32. */
export function reals(
  core: Core,
  scratch: Scratch,
  fn: string,
  name: string,
  values: ArrayLike<number>,
): [address: number, count: number] {
  const address = scratch.allocate(name, values.length * 4);
  for (let i = 0; i < values.length; i++) {
    const value: unknown = values[i];
    if (typeof value !== "number") throw new TypeError(refusal(fn, `${name}[${i}]`, value, "a number"));
  }
  core.float32(address, values.length).set(values);
  return [address, values.length];
}

/** The first arguments of NativeRoFormer.forward and NativeTrainer.run: ids, types and mask with their counts, B, S. */
export function copyInput(
  core: Core,
  scratch: Scratch,
  fn: string,
  input: RoFormerInput,
): [number, number, number, number, number, number, number, number] {
  const batch = input.batch === undefined ? 1 : wholeNumber(fn, "batch", input.batch);
  const sequence = wholeNumber(fn, "sequence", input.sequence);
  checkArrayLike(fn, "inputIds", input.inputIds);
  return [
    ...integers(core, scratch, fn, "inputIds", input.inputIds),
    ...integers(core, scratch, fn, "tokenTypeIds", input.tokenTypeIds),
    ...integers(core, scratch, fn, "attentionMask", input.attentionMask),
    batch,
    sequence,
  ];
}
