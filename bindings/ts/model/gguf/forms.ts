// Made by `npm run generate` from the families in cpp/src/model/families. Do not edit.

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

/** By `general.architecture`. */
export const FORMS: Readonly<Record<string, GgufForm>> = {
  bert: {
    modelType: "bert",
    names: {
      "blk.{}.attn_k": "encoder.layer.{}.attention.self.key",
      "blk.{}.attn_output": "encoder.layer.{}.attention.output.dense",
      "blk.{}.attn_output_norm": "encoder.layer.{}.attention.output.LayerNorm",
      "blk.{}.attn_q": "encoder.layer.{}.attention.self.query",
      "blk.{}.attn_v": "encoder.layer.{}.attention.self.value",
      "blk.{}.ffn_down": "encoder.layer.{}.output.dense",
      "blk.{}.ffn_up": "encoder.layer.{}.intermediate.dense",
      "blk.{}.layer_output_norm": "encoder.layer.{}.output.LayerNorm",
      cls: "pooler.dense",
      "cls.output": "classifier",
      position_embd: "embeddings.position_embeddings",
      token_embd: "embeddings.word_embeddings",
      token_embd_norm: "embeddings.LayerNorm",
      token_types: "embeddings.token_type_embeddings",
    },
    keys: { layer_norm_eps: "attention.layer_norm_epsilon" },
  },
  "modern-bert": {
    modelType: "modernbert",
    names: {
      "blk.{}.attn_norm": "layers.{}.attn_norm",
      "blk.{}.attn_output": "layers.{}.attn.Wo",
      "blk.{}.attn_qkv": "layers.{}.attn.Wqkv",
      "blk.{}.ffn_down": "layers.{}.mlp.Wo",
      "blk.{}.ffn_norm": "layers.{}.mlp_norm",
      "blk.{}.ffn_up": "layers.{}.mlp.Wi",
      cls: "head.dense",
      "cls.norm": "head.norm",
      "cls.output": "classifier",
      output_norm: "final_norm",
      token_embd: "embeddings.tok_embeddings",
      token_embd_norm: "embeddings.norm",
    },
    keys: {
      norm_eps: "attention.layer_norm_epsilon",
      local_attention: "attention.sliding_window",
      global_attn_every_n_layers: "attention.sliding_window_pattern",
    },
  },
  eurobert: {
    modelType: "eurobert",
    names: {
      "blk.{}.attn_k": "layers.{}.self_attn.k_proj",
      "blk.{}.attn_k_norm": "layers.{}.self_attn.k_norm",
      "blk.{}.attn_norm": "layers.{}.input_layernorm",
      "blk.{}.attn_output": "layers.{}.self_attn.o_proj",
      "blk.{}.attn_q": "layers.{}.self_attn.q_proj",
      "blk.{}.attn_q_norm": "layers.{}.self_attn.q_norm",
      "blk.{}.attn_qkv": "layers.{}.self_attn.qkv_proj",
      "blk.{}.attn_v": "layers.{}.self_attn.v_proj",
      "blk.{}.ffn_down": "layers.{}.mlp.down_proj",
      "blk.{}.ffn_gate": "layers.{}.mlp.gate_proj",
      "blk.{}.ffn_norm": "layers.{}.post_attention_layernorm",
      "blk.{}.ffn_up": "layers.{}.mlp.up_proj",
      output_norm: "norm",
      token_embd: "embed_tokens",
    },
    keys: { rms_norm_eps: "attention.layer_norm_rms_epsilon" },
    switches: { attention_bias: "blk.0.attn_q.bias", mlp_bias: "blk.0.ffn_up.bias" },
    groups: true,
  },
  "nomic-bert": {
    modelType: "nomic_bert",
    names: {
      "blk.{}.attn_output": "encoder.layers.{}.attn.out_proj",
      "blk.{}.attn_output_norm": "encoder.layers.{}.norm1",
      "blk.{}.attn_qkv": "encoder.layers.{}.attn.Wqkv",
      "blk.{}.ffn_down": "encoder.layers.{}.mlp.fc2",
      "blk.{}.ffn_gate": "encoder.layers.{}.mlp.fc12",
      "blk.{}.ffn_up": "encoder.layers.{}.mlp.fc11",
      "blk.{}.layer_output_norm": "encoder.layers.{}.norm2",
      token_embd: "embeddings.word_embeddings",
      token_embd_norm: "emb_ln",
      token_types: "embeddings.token_type_embeddings",
    },
    keys: { layer_norm_epsilon: "attention.layer_norm_epsilon" },
  },
  "jina-bert-v2": {
    modelType: "bert",
    names: {
      "blk.{}.attn_k": "encoder.layer.{}.attention.self.key",
      "blk.{}.attn_output": "encoder.layer.{}.attention.output.dense",
      "blk.{}.attn_output_norm": "encoder.layer.{}.attention.output.LayerNorm",
      "blk.{}.attn_q": "encoder.layer.{}.attention.self.query",
      "blk.{}.attn_v": "encoder.layer.{}.attention.self.value",
      "blk.{}.ffn_down": "encoder.layer.{}.mlp.wo",
      "blk.{}.ffn_gate": "encoder.layer.{}.mlp.gated_layers_w",
      "blk.{}.ffn_up": "encoder.layer.{}.mlp.gated_layers",
      "blk.{}.layer_output_norm": "encoder.layer.{}.mlp.layernorm",
      token_embd: "embeddings.word_embeddings",
      token_embd_norm: "embeddings.LayerNorm",
      token_types: "embeddings.token_type_embeddings",
    },
    keys: { layer_norm_eps: "attention.layer_norm_epsilon" },
    switches: { qk_layernorm: "blk.0.attn_q_norm.weight" },
    texts: { position_embedding_type: "alibi", feed_forward_type: "geglu" },
  },
  "jina-bert-v3": {
    modelType: "jina_embeddings_v3",
    names: {
      "blk.{}.attn_k": "layers.{}.self_attn.k_proj",
      "blk.{}.attn_output": "layers.{}.self_attn.o_proj",
      "blk.{}.attn_output_norm": "layers.{}.post_attention_layernorm",
      "blk.{}.attn_q": "layers.{}.self_attn.q_proj",
      "blk.{}.attn_qkv": "layers.{}.self_attn.qkv_proj",
      "blk.{}.attn_v": "layers.{}.self_attn.v_proj",
      "blk.{}.ffn_down": "layers.{}.mlp.fc2",
      "blk.{}.ffn_up": "layers.{}.mlp.fc1",
      "blk.{}.layer_output_norm": "layers.{}.post_mlp_layernorm",
      token_embd: "embeddings.word_embeddings",
      token_embd_norm: "embeddings.LayerNorm",
      token_types: "embeddings.token_type_embeddings",
    },
    keys: { layer_norm_eps: "attention.layer_norm_epsilon" },
  },
  "gemma-embedding": {
    modelType: "gemma3_text",
    names: {
      "blk.{}.attn_k": "layers.{}.self_attn.k_proj",
      "blk.{}.attn_k_norm": "layers.{}.self_attn.k_norm",
      "blk.{}.attn_norm": "layers.{}.input_layernorm",
      "blk.{}.attn_output": "layers.{}.self_attn.o_proj",
      "blk.{}.attn_q": "layers.{}.self_attn.q_proj",
      "blk.{}.attn_q_norm": "layers.{}.self_attn.q_norm",
      "blk.{}.attn_v": "layers.{}.self_attn.v_proj",
      "blk.{}.ffn_down": "layers.{}.mlp.down_proj",
      "blk.{}.ffn_gate": "layers.{}.mlp.gate_proj",
      "blk.{}.ffn_norm": "layers.{}.pre_feedforward_layernorm",
      "blk.{}.ffn_up": "layers.{}.mlp.up_proj",
      "blk.{}.post_attention_norm": "layers.{}.post_attention_layernorm",
      "blk.{}.post_ffw_norm": "layers.{}.post_feedforward_layernorm",
      output_norm: "norm",
      token_embd: "embed_tokens",
    },
    keys: {
      rms_norm_eps: "attention.layer_norm_rms_epsilon",
      sliding_window: "attention.sliding_window",
      sliding_window_pattern: "attention.sliding_window_pattern",
    },
    switches: { use_bidirectional_attention: "token_embd.weight", attention_bias: "blk.0.attn_q.bias" },
    groups: true,
  },
  qwen3: {
    modelType: "qwen3",
    names: {
      "blk.{}.attn_k": "layers.{}.self_attn.k_proj",
      "blk.{}.attn_k_norm": "layers.{}.self_attn.k_norm",
      "blk.{}.attn_norm": "layers.{}.input_layernorm",
      "blk.{}.attn_output": "layers.{}.self_attn.o_proj",
      "blk.{}.attn_q": "layers.{}.self_attn.q_proj",
      "blk.{}.attn_q_norm": "layers.{}.self_attn.q_norm",
      "blk.{}.attn_qkv": "layers.{}.self_attn.qkv_proj",
      "blk.{}.attn_v": "layers.{}.self_attn.v_proj",
      "blk.{}.ffn_down": "layers.{}.mlp.down_proj",
      "blk.{}.ffn_gate": "layers.{}.mlp.gate_proj",
      "blk.{}.ffn_norm": "layers.{}.post_attention_layernorm",
      "blk.{}.ffn_up": "layers.{}.mlp.up_proj",
      output: "lm_head",
      output_norm: "norm",
      token_embd: "embed_tokens",
    },
    keys: { rms_norm_eps: "attention.layer_norm_rms_epsilon" },
    switches: { attention_bias: "blk.0.attn_q.bias" },
    groups: true,
  },
};
