/** Every public type. The entries (entries/*.ts) add `load`, which differs only in where the module comes from. */
export type { ByteSource } from "./core/bytes.js";
export type { WasmSource } from "./core/compile.js";
export type { Frequencies } from "./frequencies.js";
export type { Load, LoadOptions } from "./load.js";
export type { Placement, Strides } from "./placement.js";
export type { LoadProgress } from "./receive.js";
export type {
  ClassScore,
  MaskFilling,
  RoFormer,
  RoFormerInput,
  RoFormerOutput,
  RoFormerSource,
  RoFormerWants,
} from "./roformer.js";
export type { Rope, RopeOptions } from "./rope.js";
export type { Ropewalk } from "./ropewalk.js";
export type { DType, Numbers, Tensor } from "./tensor.js";
export type { Encoded } from "./tokenizer.js";
