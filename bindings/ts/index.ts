/** Every public type. The entries (entries/*.ts) add `load`, which differs only in where the module comes from. */
export type { HeadChoice, HilbertCheck, ReceptiveFieldQuestion, Score, Turns } from "./analysis.js";
export type { Axes, XPos } from "./axes.js";
export type { ConfigOptions } from "./config.js";
export type { PairingConversion } from "./convert.js";
export type { ByteSource } from "./core/bytes.js";
export type { WasmSource } from "./core/compile.js";
export type { ExplainedPair, Explanation } from "./explain.js";
export type { ReceptiveFieldFit, ReceptiveFieldFitOptions } from "./fit.js";
export type { Frequencies } from "./frequencies.js";
export type { RopeGradients } from "./gradients.js";
export type { Load, LoadOptions } from "./load.js";
export type { Pairing } from "./pairing.js";
export type { CallOptions, ParallelOptions, ParallelRoFormer } from "./parallel/roformer.js";
export type { Placement, Strides } from "./placement.js";
export type { PositionEncoding } from "./position-encoding.js";
export type { LoadProgress } from "./receive.js";
export type {
  Answer,
  ChoiceScore,
  ClassScore,
  MaskFilling,
  Precision,
  RoFormer,
  RoFormerInput,
  RoFormerOutput,
  RoFormerSource,
  RoFormerWants,
  TokenClass,
} from "./roformer.js";
export type { Role, Rope, RopeOptions } from "./rope.js";
export type { Ropewalk } from "./ropewalk.js";
export type { Task, TaskBatch, TaskBatchOptions, TaskName, TaskOptions } from "./task.js";
export type { DType, Float16Numbers, Numbers, Tensor } from "./tensor.js";
export type { Encoded } from "./tokenizer.js";
export type {
  Evaluation,
  GradientsOfBatch,
  Objective,
  OptimizerOptions,
  SaveOptions,
  Trainer,
  TrainerBatch,
  TrainerOptions,
  TrainingStep,
} from "./trainer.js";
