/** Every public type. The entries (entries/*.ts) add `load`, which differs only in where the module comes from. */

export type {
  CheckOptions,
  Reader,
  RopeDifference,
  RopeOutlier,
  RopeProblem,
  RopeReading,
  RopeReport,
  RopeSubject,
} from "./analysis/check/report.js";
export type { PairingConversion } from "./analysis/convert.js";
export type { ReceptiveFieldFit, ReceptiveFieldFitOptions } from "./analysis/fit.js";
export type { ConfigOptions, ConfigReading } from "./config/config.js";
export type { Load, LoadOptions } from "./load.js";
export type { ChatMessage, ChatTemplateOptions } from "./model/chat/surface.js";
export type {
  CacheOptions,
  ChatOptions,
  Choice,
  Chunk,
  Decoder,
  DecoderOptions,
  FinishReason,
  GeneratedToken,
  GenerateOptions,
  Generation,
  KeyCache,
  RotationPart,
  Sampling,
  Usage,
} from "./model/decoder/surface.js";
export type { EncoderInput } from "./model/encoder-input.js";
export type { EncoderOutput, EncoderOutputs, Floats, Pooling } from "./model/encoder-output.js";
export type { Family } from "./model/families.js";
export type { FileSource, ModelFiles } from "./model/files/model-files.js";
export type { ModelSize } from "./model/files/stream-weights.js";
export type { Gives } from "./model/heads/gives.js";
export type {
  RankOptions,
  Side,
  SideOptions,
  SparseVector,
  TokenVectors,
  ZeroShotOptions,
} from "./model/heads/surface.js";
export type { HubOptions } from "./model/hub/hub.js";
export type { PositionEncoding } from "./model/position-encoding.js";
export type { Precision } from "./model/precision.js";
export type { EncoderOptions, ModelOptions } from "./model/read-encoder.js";
export type { Answer, ChoiceScore, ClassScore, MaskFilling, TokenClass } from "./model/text/answers.js";
export type { CancelOptions, EmbedEachOptions, EmbedOptions, TruncationOptions } from "./model/text/embed-options.js";
export type { Encoded, Offsets } from "./model/text/encoded.js";
export type {
  Encoder,
  EncoderBase,
  LayerRope,
  OffsetsOption,
  ParallelEncoder,
  RankedDocument,
} from "./model/text/encoder-base.js";
export type { TextPiece } from "./model/text/split.js";

export type { ByteSource } from "./module/bytes.js";
export type { MemoryStats } from "./module/core.js";
export type { ErrorDetails } from "./module/errors.js";
export type { WasmSource } from "./module/platform.js";
export type { LoadProgress } from "./module/receive.js";
export type { DType, Float16Numbers, Numbers, Tensor } from "./module/tensor.js";
export type { ParallelModelOptions } from "./parallel/encoder.js";
export type {
  ExplainedPair,
  ExplainOptions,
  Explanation,
  HeadChoice,
  HilbertCheck,
  ReceptiveFieldQuestion,
  RopeLimits,
  Score,
  Turns,
} from "./rope/analysis.js";
export type { Axes, QueryScale, XPos } from "./rope/axes.js";
export type { Frequencies } from "./rope/frequencies.js";
export type { RopeGradients } from "./rope/gradients.js";
export type { Pairing } from "./rope/pairing.js";
export type { Placement, Strides } from "./rope/placement.js";
export type { Role, Rope, RopeOptions } from "./rope/rope.js";
export type { GivenAngles } from "./rope/rotate-by.js";
export type { QKPlacement, RerotateTarget, RotatePlacement } from "./rope/rotation.js";
export type { Ropewalk } from "./ropewalk.js";
export type {
  ContrastiveOptions,
  Objective,
  OptimizerOptions,
  TaskName,
  TaskOptions,
  TrainingOptions,
} from "./train/options.js";
export type { Task, TaskBatch, TaskBatchOptions } from "./train/task.js";
export type {
  Evaluation,
  GradientsOfBatch,
  SaveOptions,
  Trainer,
  TrainerBatch,
  TrainerOptions,
  TrainingStep,
} from "./train/trainer.js";
export type {
  Hit,
  IndexOptions,
  NewIndexOptions,
  SavedIndexOptions,
  SearchOptions,
  VectorEntry,
  VectorIndex,
} from "./vectors/vector-index.js";
