/** Every public type. The entries (entries/*.ts) add `load`, which differs only in where the module comes from. */

export type {
  CheckOptions,
  Reader,
  RopeDifference,
  RopeReading,
  RopeReport,
  RopeSubject,
} from "./analysis/check/report.js";
export type { PairingConversion } from "./analysis/convert.js";
export type { ReceptiveFieldFit, ReceptiveFieldFitOptions } from "./analysis/fit.js";
export type { ConfigOptions } from "./config/config.js";
export type { Load, LoadOptions } from "./load.js";
export type { PositionEncoding } from "./model/position-encoding.js";
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
} from "./model/roformer.js";
export type { Encoded } from "./model/tokenizer.js";
export type { ByteSource } from "./module/bytes.js";
export type { WasmSource } from "./module/platform.js";
export type { LoadProgress } from "./module/receive.js";
export type { DType, Float16Numbers, Numbers, Tensor } from "./module/tensor.js";
export type { CallOptions, ParallelOptions, ParallelRoFormer } from "./parallel/roformer.js";
export type {
  ExplainedPair,
  Explanation,
  HeadChoice,
  HilbertCheck,
  ReceptiveFieldQuestion,
  Score,
  Turns,
} from "./rope/analysis.js";
export type { Axes, XPos } from "./rope/axes.js";
export type { Frequencies } from "./rope/frequencies.js";
export type { RopeGradients } from "./rope/gradients.js";
export type { Pairing } from "./rope/pairing.js";
export type { Placement, Strides } from "./rope/placement.js";
export type { Role, Rope, RopeOptions } from "./rope/rope.js";
export type { Ropewalk } from "./ropewalk.js";
export type { Task, TaskBatch, TaskBatchOptions, TaskName, TaskOptions } from "./train/task.js";
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
} from "./train/trainer.js";
