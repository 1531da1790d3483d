// Encoders that people have, by their true shapes: what `models` measures, with random weights.

/** `window`: a layer without full attention sees as many tokens on either side; `every` so many layers one is full. */
export const MODELS = {
  minilm: {
    title: "MiniLM-L6",
    hidden: 384,
    layers: 6,
    heads: 12,
    intermediate: 1536,
    vocabulary: 30522,
    positions: 512,
    epsilon: 1e-12,
  },
  modernbert: {
    title: "ModernBERT-base",
    hidden: 768,
    layers: 22,
    heads: 12,
    intermediate: 1152,
    vocabulary: 50368,
    positions: 8192,
    epsilon: 1e-5,
    gated: true,
    window: 64,
    every: 3,
    bases: { global: 160000, local: 10000 },
  },
};

export const PRECISIONS = ["float32", "int8"];
export const LENGTHS = [16, 128, 512];
/** The longest text of the ONNX graphs: their tables of rotations and windows have as many rows. */
export const LONGEST = 512;

/** Operations of the matrix products, full attention's included: two for a multiply-add. */
export function operations({ hidden, layers, intermediate, gated }, length) {
  const products = 4 * hidden + (gated ? 3 : 2) * intermediate;
  return layers * (2 * length * hidden * products + 4 * length * length * hidden);
}

/** Ids of a text of `length` tokens, none of them special. */
export const idsOf = ({ vocabulary }, length) =>
  Int32Array.from({ length }, (_, i) => 1000 + ((i * 7919) % (vocabulary - 2000)));

/** config.json, with `more` in place of what it says. */
export const configOf = (name, more = {}) => ({ ...CONFIGS[name], ...more });

const common = ({ hidden, layers, heads, intermediate, vocabulary, positions }) => ({
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  intermediate_size: intermediate,
  vocab_size: vocabulary,
  max_position_embeddings: positions,
});

const CONFIGS = {
  minilm: {
    architectures: ["BertModel"],
    model_type: "bert",
    ...common(MODELS.minilm),
    hidden_act: "gelu",
    type_vocab_size: 2,
    layer_norm_eps: MODELS.minilm.epsilon,
    hidden_dropout_prob: 0.1,
    attention_probs_dropout_prob: 0.1,
    position_embedding_type: "absolute",
    pad_token_id: 0,
  },
  modernbert: {
    architectures: ["ModernBertModel"],
    model_type: "modernbert",
    ...common(MODELS.modernbert),
    hidden_activation: "gelu",
    norm_eps: MODELS.modernbert.epsilon,
    norm_bias: false,
    attention_bias: false,
    mlp_bias: false,
    attention_dropout: 0,
    global_attn_every_n_layers: MODELS.modernbert.every,
    global_rope_theta: MODELS.modernbert.bases.global,
    local_rope_theta: MODELS.modernbert.bases.local,
    local_attention: 2 * MODELS.modernbert.window,
    pad_token_id: 50283,
  },
};
