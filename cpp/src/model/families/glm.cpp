// GLM 4 9B and GLM Edge as Hugging Face's class "glm" (arXiv 2406.12793): half of each head rotates, in interleaved pairs.
// The class "glm4" (GLM-4-0414) has a norm behind each branch besides.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read_layers(const json::Value& config, std::string_view family, NormPlacement placement) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 151552;
  spec.norm.eps = 1.5625e-7;
  spec.placement = placement;
  spec.attention.key_heads = 2;
  spec.attention.head_dim = 128;
  spec.feed_forward.width = 13696;
  spec.feed_forward.packing = FeedForwardSpec::Packing::gate_up;
  spec.layers.assign(40, {});
  Keys keys(config, family);
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.flag("attention_bias", spec.attention.bias);
  return with_one_rope(keys, config, spec);
}

Result<Spec> read_glm(const json::Value& config) { return read_layers(config, "glm", NormPlacement::pre); }
Result<Spec> read_glm4(const json::Value& config) {
  return read_layers(config, "glm4", NormPlacement::sandwich);
}

constexpr Name glm4_base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"attention.after_norm", "layers.{}.post_self_attn_layernorm"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.gate_up", "layers.{}.mlp.gate_up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"feed_forward.after_norm", "layers.{}.post_mlp_layernorm"},
    {"final_norm", "norm"},
};

constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_q.bias", "attention_bias"}};
constexpr Name gguf_names[] = {{"feed_forward.gate_up", "blk.{}.ffn_up"}};
constexpr Name glm4_gguf_names[] = {{"feed_forward.gate_up", "blk.{}.ffn_up"},
                                    {"attention.after_norm", "blk.{}.post_attention_norm"},
                                    {"feed_forward.after_norm", "blk.{}.post_ffw_norm"}};

}  // namespace

extern const Family glm = {
    .name = "glm",
    .model_type = "glm",
    .read = read_glm,
    .names = {"model.", llama_base_names, llama_head_names},
    .gguf = {.architecture = "chatglm", .names = gguf_names, .switches = gguf_switches}};

extern const Family glm4 = {
    .name = "glm4",
    .model_type = "glm4",
    .read = read_glm4,
    .names = {"model.", glm4_base_names, llama_head_names},
    .gguf = {.architecture = "glm4", .names = glm4_gguf_names, .switches = gguf_switches}};

}  // namespace ropewalk::model
