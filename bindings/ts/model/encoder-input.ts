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

const sizeOf = (values: Int32Array | undefined): number => values?.length ?? 0;

/** The input as blocks of encoders and trainers have it: addresses and counts, 0 where nothing is given. */
export function copyInput(scratch: Scratch, input: ReadInput) {
  const { inputIds, tokenTypeIds, attentionMask, sequenceIds, batch, sequence } = input;
  const place = (name: string, values: Int32Array | undefined) => (values ? scratch.int32(name, values) : 0);
  return {
    ids: place("inputIds", inputIds),
    idCount: sizeOf(inputIds),
    types: place("tokenTypeIds", tokenTypeIds),
    typeCount: sizeOf(tokenTypeIds),
    mask: place("attentionMask", attentionMask),
    maskCount: sizeOf(attentionMask),
    sequenceIds: place("sequenceIds", sequenceIds),
    sequenceIdCount: sizeOf(sequenceIds),
    batch,
    sequence,
  };
}
