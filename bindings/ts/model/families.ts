/** A family of models that can be loaded. */
export interface Family {
  /** `model_type` in config.json. */
  modelType: string;
  /** The function that loads it: `encoder` or `decoder`. */
  kind: "encoder" | "decoder";
  /** True if `trainer` takes it. */
  trainable: boolean;
  /** Names of the heads that a checkpoint may have. */
  heads: readonly string[];
  /** Values of `general.architecture` that are read. */
  gguf: readonly string[];
}
