/** A family of models that can be loaded. */
export interface Family {
  /** `model_type` in config.json. */
  modelType: string;
  kind: "encoder" | "decoder";
  trainable: boolean;
  /** Heads that a checkpoint may have. */
  heads: readonly string[];
  /** Values of `general.architecture` that are read. */
  gguf: readonly string[];
}
