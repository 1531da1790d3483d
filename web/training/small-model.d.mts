interface Size {
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  intermediate_size: number;
}

/** The sizes of the small models. */
export const sizes: Readonly<Record<"small" | "medium", Size>>;

/** config.json of a size, without vocabulary, encoding and longest sequence. */
export function smallModel(size: "small" | "medium"): Size & {
  type_vocab_size: number;
  pad_token_id: number;
  tie_word_embeddings: boolean;
  hidden_dropout_prob: number;
  attention_probs_dropout_prob: number;
  initializer_range: number;
  sinusoidal_scale: number;
};

/** Their optimizer, except for the learning rate and the number of steps. */
export const smallOptimizer: { beta2: number; weightDecay: number; warmupSteps: number };

/** Sequences of a training step, and of an evaluation. */
export const BATCH: number;
export const VALIDATION: number;
