import { integersOf } from "../module/arrays.js";
import { wholeNumber } from "../module/errors.js";
import type { Scratch } from "../module/scratch.js";

/** B sequences of T tokens each, one after the other: B*T values per array. */
export interface EncoderInput {
  inputIds: ArrayLike<number>;
  /** B. Default 1. */
  batch?: number | undefined;
  /** T */
  sequence: number;
  /** Default all 0. */
  tokenTypeIds?: ArrayLike<number> | undefined;
  /** 1 for tokens, 0 for padding. Default all 1. Positions count from 0 whatever it says. */
  attentionMask?: ArrayLike<number> | undefined;
  /**
   * Several texts in one sequence, such as the chains of a protein: a token attends only to those of the same number.
   * Positions go on from one to the next. Default: all are one. A trainer does not take it, nor does a model whose
   * attention is linear or causal.
   */
  sequenceIds?: ArrayLike<number> | undefined;
}

/** An input of which nothing belongs to the caller any more. */
export interface ReadInput {
  inputIds: Int32Array;
  tokenTypeIds?: Int32Array;
  attentionMask?: Int32Array;
  sequenceIds?: Int32Array;
  batch: number;
  sequence: number;
}

export function readInput(fn: string, input: EncoderInput): ReadInput {
  const { inputIds, tokenTypeIds, attentionMask, sequenceIds, batch, sequence } = input;
  return {
    batch: batch === undefined ? 1 : wholeNumber(fn, "batch", batch),
    sequence: wholeNumber(fn, "sequence", sequence),
    inputIds: integersOf(fn, "inputIds", inputIds),
    ...(tokenTypeIds !== undefined && { tokenTypeIds: integersOf(fn, "tokenTypeIds", tokenTypeIds) }),
    ...(attentionMask !== undefined && { attentionMask: integersOf(fn, "attentionMask", attentionMask) }),
    ...(sequenceIds !== undefined && { sequenceIds: integersOf(fn, "sequenceIds", sequenceIds) }),
  };
}

/** Address and count of a list; 0 and 0 where nothing is given. */
export function integersIn(scratch: Scratch, name: string, values: Int32Array | undefined): [number, number] {
  return values === undefined ? [0, 0] : [scratch.int32(name, values), values.length];
}

/** The first arguments of NativeEncoder.forward and NativeTrainer.run: ids, types and mask with their counts, B, T. */
export function copyInput(
  scratch: Scratch,
  input: ReadInput,
): [number, number, number, number, number, number, number, number] {
  return [
    ...integersIn(scratch, "inputIds", input.inputIds),
    ...integersIn(scratch, "tokenTypeIds", input.tokenTypeIds),
    ...integersIn(scratch, "attentionMask", input.attentionMask),
    input.batch,
    input.sequence,
  ];
}
