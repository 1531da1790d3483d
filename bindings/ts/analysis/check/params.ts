/** Meta's params.json of Llama, in the keys of config.json. */
import type { Json } from "./model.js";

/** Keys of files that have `dim` and `n_heads` as well, such as those of Z-Image. */
const OTHERS = ["hidden_size", "model_type", "_class_name", "axes_dims", "head_dim"];

export function fromParams(config: Json): Json {
  const { dim, n_heads: heads, n_layers: layers, rope_theta = 10000, use_scaled_rope: scaled } = config;
  if (typeof dim !== "number" || typeof heads !== "number" || OTHERS.some((key) => key in config)) return config;
  const rule = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
  return {
    model_type: "llama",
    hidden_size: dim,
    num_attention_heads: heads,
    ...(layers !== undefined && { num_hidden_layers: layers }),
    max_position_embeddings: scaled ? 131072 : ((config.max_seq_len as number | undefined) ?? 8192),
    rope_theta,
    rope_scaling: scaled ? { ...rule, original_max_position_embeddings: 8192 } : null,
  };
}
