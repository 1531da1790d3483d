import type { PositionEncoding } from "ropewalk";

/** What a race is about, of its fields' values; everything else follows from them. */
export interface RaceSettings {
  readonly size: keyof typeof sizes;
  readonly sequence: number;
  readonly steps: number;
  readonly rate: number;
}

export const sizes = {
  small: { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 128 },
  medium: { hidden_size: 64, num_hidden_layers: 3, num_attention_heads: 4, intermediate_size: 256 },
} as const;

/** Sequences of a step, and of an evaluation. */
export const BATCH = 16;
export const VALIDATION = 64;
/** Evaluations of a whole race. */
const CHECKS = 40;

export const checkEvery = (steps: number) => Math.max(5, Math.round(steps / CHECKS / 5) * 5);

/**
 * config.json of a contestant: they differ in `position_encoding` alone. The initial weights have a standard deviation
 * of one over the root of the channels, and the sines that root mean square, so that no encoding begins drowned.
 */
export function configOf(encoding: PositionEncoding, { size, sequence }: RaceSettings, vocabulary: number) {
  const model = sizes[size];
  const spread = 1 / Math.sqrt(model.hidden_size);
  return {
    architectures: ["RoFormerForMaskedLM"],
    position_encoding: encoding,
    vocab_size: vocabulary,
    ...model,
    type_vocab_size: 1,
    pad_token_id: 0,
    tie_word_embeddings: false,
    hidden_dropout_prob: 0,
    attention_probs_dropout_prob: 0,
    initializer_range: spread,
    sinusoidal_scale: Math.SQRT2 * spread,
    // Twice the length of training, for the test; the rows beyond are never trained.
    max_position_embeddings: 2 * sequence,
  };
}

export function optimizerOf({ rate, steps }: RaceSettings) {
  return { learningRate: rate, beta2: 0.98, weightDecay: 0.01, warmupSteps: Math.min(50, steps), totalSteps: steps };
}
