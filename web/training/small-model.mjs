// @ts-check
/** The small models that the pages train and the experiments compare: they differ in `position_encoding` alone. */

/** Their sizes. */
export const sizes = {
  small: { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 128 },
  medium: { hidden_size: 64, num_hidden_layers: 3, num_attention_heads: 4, intermediate_size: 256 },
};

/**
 * Nine digits are enough for float32, and read well.
 * @param {number} value
 */
const rounded = (value) => Number(value.toPrecision(9));

/**
 * config.json of a size, without vocabulary, encoding and longest sequence.
 * @param {keyof typeof sizes} size
 */
export function smallModel(size) {
  const model = sizes[size];
  // The initial weights have a standard deviation of one over the root of the channels, so that scores, values and the
  // feed-forward layer begin at a scale of 1. The sines have the root mean square of the word vectors: neither swamps
  // the other at first.
  const spread = 1 / Math.sqrt(model.hidden_size);
  return {
    ...model,
    type_vocab_size: 1,
    pad_token_id: 0,
    tie_word_embeddings: false,
    hidden_dropout_prob: 0,
    attention_probs_dropout_prob: 0,
    initializer_range: rounded(spread),
    sinusoidal_scale: rounded(Math.SQRT2 * spread),
  };
}

/** Their optimizer, except for the learning rate and the number of steps. */
export const smallOptimizer = { beta2: 0.98, weightDecay: 0.01, warmupSteps: 50 };

/** Sequences of a training step, and of an evaluation. */
export const BATCH = 16;
export const VALIDATION = 64;
