/**
 * What the two WebAssembly modules export: bindings/embind/*.cpp, seen from here. Coarse things are Embind classes and
 * functions; what runs once per token is a plain export that takes numbers and addresses.
 * tests/ts/module.test.ts compares these lists with the exports of the real modules.
 */
import type { ClassHandle } from "./core/glue.js";

/** A ropewalk::Rope. */
export interface NativeRope extends ClassHandle {
  address(): number;
  rotaryDim(): number;
  /** d/2, or heads * d/2. */
  frequencyCount(): number;
  magnitude(): number;
  /** Writes frequencyCount() float64 values there. */
  writeFrequencies(address: number): void;
  writeWavelengths(address: number): void;
}

/** A ropewalk::RoFormer and the views of its last forward. */
export interface NativeRoFormer extends ClassHandle {
  configJson(): string;
  parameterCount(): number;
  /** One sentence per line. */
  notes(): string;
  /** Addresses of int32 values, each with its count; 0 of them where nothing is given. Status code. */
  forward(
    ids: number,
    idCount: number,
    types: number,
    typeCount: number,
    mask: number,
    maskCount: number,
    batch: number,
    sequence: number,
    wants: number,
  ): number;
  outputAddress(kind: number, layer: number): number;
  /** In elements; 0 when there is no such output. */
  outputSize(kind: number, layer: number): number;
}

/** Status code of the call, 0 for success. Sizes in elements; `positions` 0 means that `start` counts. */
export type RotateExport = (
  rope: number,
  x: number,
  xSize: number,
  out: number,
  outSize: number,
  dtype: number,
  batch: number,
  sequence: number,
  heads: number,
  layout: number,
  strideBatch: number,
  strideSequence: number,
  strideHead: number,
  positions: number,
  positionCount: number,
  start: number,
) => number;

export type RotateQKExport = (
  rope: number,
  q: number,
  qSize: number,
  outQ: number,
  outQSize: number,
  k: number,
  kSize: number,
  outK: number,
  outKSize: number,
  dtype: number,
  batch: number,
  sequence: number,
  heads: number,
  kvHeads: number,
  layout: number,
  strideBatch: number,
  strideSequence: number,
  strideHead: number,
  keyStrideBatch: number,
  keyStrideSequence: number,
  keyStrideHead: number,
  positions: number,
  positionCount: number,
  start: number,
) => number;

/** What both modules have. */
export interface NativeModule {
  readonly wasmMemory: WebAssembly.Memory;

  /** 0 when the memory cannot be had. */
  _ropewalk_allocate(bytes: number): number;
  _ropewalk_free(address: number): void;

  version(): string;
  heapBytes(): number;
  /** Message of the last call that failed. */
  errorMessage(): string;
  errorCode(): number;
}

/** core.wasm: ropes and tensors. */
export interface NativeCore extends NativeModule {
  readonly _ropewalk_rotate: RotateExport;
  readonly _ropewalk_unrotate: RotateExport;
  readonly _ropewalk_rotate_qk: RotateQKExport;
  _ropewalk_table(rope: number, positions: number, count: number, cos: number, sin: number, size: number): number;

  /** null when the options are refused. */
  makeRope(optionsJson: string): NativeRope | null;
}

/** model.wasm: the RoFormer. */
export interface NativeModel extends NativeModule {
  /** null when configuration or weights are refused. Neither is needed afterwards. */
  makeRoFormer(configJson: string, weights: number, size: number): NativeRoFormer | null;
}
