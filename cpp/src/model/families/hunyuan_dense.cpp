// Hunyuan's dense models (Tencent 2025): norms of queries and keys behind their rotation, whose `alpha` replaces the base.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.query_norm", "layers.{}.self_attn.query_layernorm"},
    {"attention.key_norm", "layers.{}.self_attn.key_layernorm"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"final_norm", "norm"},
};

/// Keys of the first files, which the class does not read: its models all have these norms, and no layer takes the keys of
/// another.
void check_old_keys(Keys& keys) {
  bool norms = true;
  keys.flag("use_qk_norm", norms);
  if (!norms)
    keys.keep(keys.members().refuse("use_qk_norm", *keys.members().find("use_qk_norm"), "true", true));
  keys.must_be_false("use_cla");
}

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 290943;
  spec.norm.eps = 1e-5;
  spec.attention.qk_norm_after_rotation = true;
  Keys keys(config, "hunyuan_v1_dense");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  spec.attention.qk_norm = spec.norm;
  check_old_keys(keys);
  return with_one_rope(keys, config, spec);
}

}  // namespace

extern const Family hunyuan_dense = {
    .name = "hunyuan-dense",
    .model_type = "hunyuan_v1_dense",
    .read = read,
    .names = {"model.", base_names, llama_head_names},
    .trainable = false,
    .gguf = {.architecture = "hunyuan-dense", .switches = llama_gguf_switches}};

}  // namespace ropewalk::model
