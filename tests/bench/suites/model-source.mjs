// The model that is measured: config.json and the bytes of a checkpoint with random weights.
import { ENCODER } from "../shapes.mjs";

export const CONFIG = {
  architectures: ["RoFormerForMaskedLM"],
  model_type: "roformer",
  hidden_act: "gelu",
  hidden_size: ENCODER.hidden,
  embedding_size: ENCODER.hidden,
  intermediate_size: ENCODER.intermediate,
  num_attention_heads: ENCODER.heads,
  num_hidden_layers: ENCODER.layers,
  vocab_size: ENCODER.vocabulary,
  max_position_embeddings: 512,
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
  hidden_dropout_prob: 0,
  attention_probs_dropout_prob: 0,
  // Larger than usual, so that the scores differ and a wrong rotation would show.
  initializer_range: 0.05,
  pad_token_id: 0,
  rotary_value: false,
  tie_word_embeddings: true,
};

export const idsOf = (length) => Int32Array.from({ length }, (_, i) => (i * 7 + 3) % ENCODER.vocabulary);

export async function checkpoint(host) {
  const trainer = await (await host.ropewalk()).trainer({ config: CONFIG, seed: 1 });
  try {
    return trainer.save();
  } finally {
    trainer.dispose();
  }
}
