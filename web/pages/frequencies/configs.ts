/** The rope's keys in config.json of published models, and a slip that most readers would swallow. */
export interface ConfigExample {
  readonly name: string;
  readonly config: object;
}

export const configs: readonly ConfigExample[] = [
  {
    name: "Llama 3.1 8B",
    config: {
      model_type: "llama",
      hidden_size: 4096,
      num_attention_heads: 32,
      max_position_embeddings: 131072,
      rope_theta: 500000,
      rope_scaling: {
        rope_type: "llama3",
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 8192,
      },
    },
  },
  {
    name: "Qwen2.5 7B with YaRN",
    config: {
      model_type: "qwen2",
      hidden_size: 3584,
      num_attention_heads: 28,
      max_position_embeddings: 32768,
      rope_theta: 1000000,
      rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 32768 },
    },
  },
  {
    name: "GPT-NeoX 20B",
    config: {
      model_type: "gpt_neox",
      hidden_size: 6144,
      num_attention_heads: 64,
      max_position_embeddings: 2048,
      rotary_pct: 0.25,
      rotary_emb_base: 10000,
    },
  },
  {
    name: "Gemma 3 4B",
    config: {
      model_type: "gemma3_text",
      hidden_size: 2560,
      num_attention_heads: 8,
      head_dim: 256,
      max_position_embeddings: 131072,
      rope_theta: 1000000,
      rope_local_base_freq: 10000,
      rope_scaling: { rope_type: "linear", factor: 8 },
    },
  },
  {
    name: "a misspelt key",
    config: {
      model_type: "llama",
      hidden_size: 4096,
      num_attention_heads: 32,
      max_position_embeddings: 8192,
      rope_theta: 10000,
      rope_scaling: { rope_type: "yarn", factor: 4, original_max_position: 2048 },
    },
  },
];
