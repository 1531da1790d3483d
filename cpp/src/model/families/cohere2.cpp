// Command R7B and what else is Cohere 2 (arXiv 2504.00698): attention and feed-forward network side by side behind one
// norm; layers without a window do not rotate.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 256000;
  spec.hidden = 8192;
  spec.norm = {.kind = NormKind::layer, .eps = 1e-5, .bias = false};
  spec.placement = NormPlacement::parallel_shared;
  spec.attention.heads = 64;
  spec.feed_forward.width = 22528;
  spec.layers.assign(40, {});
  double scale = 0.0625;
  std::size_t window = 4096, pattern = 4;
  Keys keys(config, "cohere2");
  read_llama_like(keys, spec, true);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.attention_bias(spec);
  keys.positive("logit_scale", 1e30, "a number above 0", scale);
  spec.heads[0].scale = scale;
  keys.whole("sliding_window", 1, 1 << 24, window);
  keys.whole("sliding_window_pattern", 1, 1 << 10, pattern);
  set_windows(keys, spec, window, every_nth_full(spec.layers.size(), pattern));
  for (LayerSpec& layer : spec.layers) {
    if (!layer.window) layer.rope.reset();
  }
  return with_one_rope(keys, config, spec);
}

constexpr GgufKey gguf_epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
constexpr GgufKey gguf_keys[] = {{"attention.sliding_window", "sliding_window"},
                                 {"logit_scale", "logit_scale"}};

}  // namespace

extern const Family cohere2 = {.name = "cohere2",
                               .model_type = "cohere2",
                               .read = read,
                               .names = {"model.", llama_base_names, llama_head_names},
                               .gguf = {.architecture = "cohere2",
                                        .keys = gguf_keys,
                                        .switches = llama_gguf_switches,
                                        .epsilon = gguf_epsilon}};

}  // namespace ropewalk::model
