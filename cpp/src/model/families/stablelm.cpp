// StableLM 2 and StableLM 3B (Stability AI, arXiv 2402.17834): layer norms, and a quarter of each head rotates.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 50304;
  spec.hidden = 2560;
  spec.norm = {.kind = NormKind::layer, .eps = 1e-5};
  spec.feed_forward.width = 6912;
  bool parallel = false;
  Keys keys(config, "stablelm");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.share("hidden_dropout", spec.hidden_dropout);
  keys.flag("use_qkv_bias", spec.attention.bias);
  keys.flag("use_parallel_residual", parallel);
  keys.must_be_false("qk_layernorm");
  if (parallel) spec.placement = NormPlacement::parallel_shared;
  return with_one_rope(keys, config, spec);
}

constexpr GgufKey gguf_epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
constexpr GgufKey gguf_keys[] = {{"use_parallel_residual", "use_parallel_residual"}};
// Norms per head, which the model of 12 billion parameters has, are refused as in its config.json.
constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_q.bias", "use_qkv_bias"},
                                        {"blk.0.attn_q_norm.weight", "qk_layernorm"}};

}  // namespace

extern const Family stablelm = {
    .name = "stablelm",
    .model_type = "stablelm",
    .read = read,
    .names = {"model.", llama_base_names, llama_head_names},
    .gguf = {
        .architecture = "stablelm", .keys = gguf_keys, .switches = gguf_switches, .epsilon = gguf_epsilon}};

}  // namespace ropewalk::model
