// The decoder that `decoders` measures: SmolLM2-135M's shape, with random weights.

export const DECODER = {
  title: "SmolLM2-135M",
  hidden: 576,
  layers: 30,
  heads: 9,
  keyHeads: 3,
  dim: 64,
  intermediate: 1536,
  vocabulary: 49152,
  base: 100_000,
  epsilon: 1e-5,
};

/** Tokens that the cache holds when the next one is timed. */
export const CACHED = [64, 512];
/** Tokens of a prompt, of a stretch that is dropped and of a chunk that is appended. */
export const STRETCH = 256;
/** Capacity of the caches. */
export const CONTEXT = 2048;

/** Weights that a token is multiplied with; the table of words is the last of them, being tied. */
export function multiplied({ hidden, layers, heads, keyHeads, dim, intermediate, vocabulary }) {
  const attention = 2 * heads * dim + 2 * keyHeads * dim;
  return layers * hidden * (attention + 3 * intermediate) + vocabulary * hidden;
}

export const idsOf = (count, from = 0) =>
  Int32Array.from({ length: count }, (_, i) => 300 + (((from + i) * 7919) % (DECODER.vocabulary - 1000)));

export const config = {
  architectures: ["LlamaForCausalLM"],
  model_type: "llama",
  hidden_act: "silu",
  hidden_size: DECODER.hidden,
  num_hidden_layers: DECODER.layers,
  num_attention_heads: DECODER.heads,
  num_key_value_heads: DECODER.keyHeads,
  intermediate_size: DECODER.intermediate,
  vocab_size: DECODER.vocabulary,
  max_position_embeddings: 8192,
  rms_norm_eps: DECODER.epsilon,
  rope_theta: DECODER.base,
  tie_word_embeddings: true,
};
