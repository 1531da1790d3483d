// Phi 1, 1.5 and 2 (arXiv 2309.05463): attention and feed-forward network side by side behind one layer norm, biases
// everywhere, a part of each head rotates.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.output", "layers.{}.self_attn.dense"},
    {"feed_forward.up", "layers.{}.mlp.fc1"},
    {"feed_forward.down", "layers.{}.mlp.fc2"},
    {"final_norm", "final_layernorm"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 51200;
  spec.hidden = 2048;
  spec.norm = {.kind = NormKind::layer, .eps = 1e-5};
  spec.placement = NormPlacement::parallel_shared;
  spec.attention.bias = spec.attention.output_bias = true;
  spec.feed_forward = {.width = 8192, .activation = Activation::gelu_tanh};
  spec.layers.assign(24, {});
  Keys keys(config, "phi");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.share("resid_pdrop", spec.hidden_dropout);
  keys.must_be_false("qk_layernorm");
  spec.heads[0].bias = true;
  return with_one_rope(keys, config, spec);
}

constexpr GgufKey gguf_epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};

}  // namespace

extern const Family phi = {.name = "phi",
                           .model_type = "phi",
                           .read = read,
                           .names = {"model.", base_names, llama_head_names},
                           .gguf = {.architecture = "phi2", .epsilon = gguf_epsilon}};

}  // namespace ropewalk::model
