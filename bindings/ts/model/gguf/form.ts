/** How the models of an architecture stand in GGUF files. */
export interface GgufForm {
  modelType: string;
  /** Names of tensors without ".weight" and ".bias"; "{}" is the number of the layer. */
  names: Readonly<Record<string, string>>;
  /** Keys of config.json: of the metadata behind the architecture and a dot. */
  keys: Readonly<Record<string, string>>;
  /** Keys of config.json that are true where the tensor is there. */
  switches?: Readonly<Record<string, string>>;
  /** Keys of config.json that no file states. */
  texts?: Readonly<Record<string, string>>;
  /** Heads of keys may be fewer, and heads of another width than a share of the model's. */
  groups?: true;
}
