// GPT-NeoX (Black et al., arXiv 2204.06745) and Pythia: attention and feed-forward network side by side, a
// part of each head that rotates.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embed_in"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.qkv", "layers.{}.attention.query_key_value"},
    {"attention.output", "layers.{}.attention.dense"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.up", "layers.{}.mlp.dense_h_to_4h"},
    {"feed_forward.down", "layers.{}.mlp.dense_4h_to_h"},
    {"final_norm", "final_layer_norm"},
};
constexpr Name head_names[] = {{"causal_lm.decoder", "embed_out"}};

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 50432;
  spec.hidden = 6144;
  spec.norm = {.kind = NormKind::layer, .eps = 1e-5};
  spec.attention.heads = 64;
  spec.attention.packing = AttentionSpec::Packing::per_head;
  spec.feed_forward = {.width = 24576};
  spec.layers.assign(44, {});
  bool parallel = true, bias = true;
  Keys keys(config, "gpt_neox");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.flag("use_parallel_residual", parallel);
  keys.flag("attention_bias", bias);
  spec.placement = parallel ? NormPlacement::parallel : NormPlacement::pre;
  spec.attention.bias = spec.attention.output_bias = bias;
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

constexpr GgufKey gguf_epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
constexpr GgufKey gguf_keys[] = {{"use_parallel_residual", "use_parallel_residual"}};
constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_qkv.bias", "attention_bias"}};

/// The converter puts the queries of all heads before their keys and values.
void adapt(Spec& spec) { spec.attention.packing = AttentionSpec::Packing::blocks; }

}  // namespace

extern const Family gpt_neox = {.name = "gpt_neox",
                                .model_type = "gpt_neox",
                                .read = read,
                                .names = {"gpt_neox.", base_names, head_names},
                                .gguf = {.architecture = "gptneox",
                                         .keys = gguf_keys,
                                         .switches = gguf_switches,
                                         .epsilon = gguf_epsilon,
                                         .adapt = adapt}};

}  // namespace ropewalk::model
