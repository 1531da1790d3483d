// Qwen 3.5 (Qwen 2026): gated delta nets in three of four layers, attention with a gate and a rotation of a quarter of each
// head in the others. Published files have a vision model beside it, which is not read.

#include "base/text.hpp"
#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.query_norm", "layers.{}.self_attn.q_norm"},
    {"attention.key_norm", "layers.{}.self_attn.k_norm"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"delta_net.in", "layers.{}.linear_attn.in_proj_qkv"},
    {"delta_net.gate", "layers.{}.linear_attn.in_proj_z"},
    {"delta_net.beta", "layers.{}.linear_attn.in_proj_b"},
    {"delta_net.decay", "layers.{}.linear_attn.in_proj_a"},
    {"delta_net.convolution", "layers.{}.linear_attn.conv1d"},
    {"delta_net.decay_log", "layers.{}.linear_attn.A_log"},
    {"delta_net.decay_bias", "layers.{}.linear_attn.dt_bias"},
    {"delta_net.norm", "layers.{}.linear_attn.norm"},
    {"delta_net.out", "layers.{}.linear_attn.out_proj"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"final_norm", "norm"},
};

Result<Spec> read_text(const json::Value& config, std::string_view family, bool tied) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 248320;
  spec.norm.kind = NormKind::rms_plus_one;
  spec.attention.heads = 16;
  spec.attention.key_heads = 4;
  spec.attention.head_dim = 256;
  spec.attention.output_gate = true;
  spec.feed_forward.width = 12288;
  GatedDeltaNetSpec& delta = spec.gated_delta_net;
  std::size_t interval = 4;
  Keys keys(config, family);
  read_llama_like(keys, spec, tied);
  keys.attention_bias(spec);
  keys.flag("attn_output_gate", spec.attention.output_gate);
  keys.activation("hidden_act", spec.feed_forward.activation);
  delta.activation = spec.feed_forward.activation;
  keys.whole("linear_num_key_heads", 1, 1 << 10, delta.key_heads);
  keys.whole("linear_num_value_heads", 1, 1 << 10, delta.value_heads);
  keys.whole("linear_key_head_dim", 1, 1 << 10, delta.key_dim);
  keys.whole("linear_value_head_dim", 1, 1 << 10, delta.value_dim);
  keys.whole("linear_conv_kernel_dim", 1, 1 << 6, delta.width);
  keys.whole("full_attention_interval", 1, 1 << 10, interval);
  const std::vector<bool> nets =
      read_layer_types(keys, every_nth_full(spec.layers.size(), interval), "linear_attention");
  for (std::size_t l = 0; l < spec.layers.size(); ++l) spec.layers[l].gated_delta_net = nets[l];
  spec.attention.qk_norm = spec.norm;
  Result<Spec> read = with_one_rope(keys, config, spec);
  // All axes of a token of text have the same position.
  if (read.ok()) std::get<positions::Rope>(read.value().positions).ropes[0].axes.reset();
  return read;
}

Result<Spec> read(const json::Value& config) { return read_text(config, "qwen3_5_text", false); }

/// The outer file may say in the text model's place whether the head is tied.
Result<Spec> read_nested(const json::Value& config) {
  ROPEWALK_LET(text, text_part(config, "qwen3_5"));
  bool tied = false;
  const json::Members members(config, "qwen3_5");
  ROPEWALK_TRY(members.boolean("tie_word_embeddings", tied));
  Result<Spec> spec = read_text(*text, "qwen3_5", tied);
  if (spec.ok()) spec.value().notes.emplace_back(text_part_note);
  return spec;
}

}  // namespace

extern const Family qwen3_5_text = {.name = "qwen3_5_text",
                                    .model_type = "qwen3_5_text",
                                    .read = read,
                                    .names = {"model.", base_names, llama_head_names},
                                    .trainable = false};

extern const Family qwen3_5 = {.name = "qwen3_5",
                               .model_type = "qwen3_5",
                               .read = read_nested,
                               .names = {"model.language_model.", base_names, llama_head_names},
                               .trainable = false};

}  // namespace ropewalk::model
