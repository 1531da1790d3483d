// EXAONE 4 (arXiv 2507.11407): norms behind each branch and of each query and key; where there are windows, the layers
// without do not rotate.

#include "model/families/gemma_keys.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 102400;
  spec.norm.eps = 1e-5;
  spec.placement = NormPlacement::after;
  spec.feed_forward.width = 16384;
  std::size_t window = config.find("sliding_window") == nullptr ? 4096 : 0, pattern = 4;
  Keys keys(config, "exaone4");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  spec.attention.qk_norm = spec.norm;
  keys.whole("sliding_window", 1, 1 << 24, window);
  keys.whole("sliding_window_pattern", 1, 1 << 10, pattern);
  if (window != 0) {
    set_windows(keys, spec, window, every_nth_full(spec.layers.size(), pattern));
    for (LayerSpec& layer : spec.layers) {
      if (!layer.window) layer.rope.reset();
    }
  }
  return with_one_rope(keys, config, spec);
}

// Files of models without windows do not have the key.
constexpr GgufKey gguf_keys[] = {{"attention.sliding_window", "sliding_window", true}};

}  // namespace

extern const Family exaone4 = {.name = "exaone4",
                               .model_type = "exaone4",
                               .read = read,
                               .names = {"model.", gemma_base_names, llama_head_names},
                               .gguf = {.architecture = "exaone4",
                                        .names = after_norm_gguf_names,
                                        .keys = gguf_keys,
                                        .switches = llama_gguf_switches}};

}  // namespace ropewalk::model
