// Mistral 7B (arXiv 2310.06825), Llama with a window, and Ministral 3 (Mistral AI 2025), whose queries grow with their
// position.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

/// A window for every layer, unless the file says null.
void read_window(Keys& keys, const json::Value& config, Spec& spec, std::size_t usual) {
  std::size_t window = config.find("sliding_window") == nullptr ? usual : 0;
  keys.whole("sliding_window", 1, 1 << 24, window);
  for (LayerSpec& layer : spec.layers) {
    if (window != 0) layer.window = window;
  }
}

Result<Spec> read_mistral(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.attention.key_heads = 8;
  spec.feed_forward.width = 14336;
  Keys keys(config, "mistral");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  read_window(keys, config, spec, 4096);
  return with_one_rope(keys, config, spec);
}

Result<Spec> read_ministral3(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 131072;
  spec.norm.eps = 1e-5;
  spec.attention.key_heads = 8;
  spec.attention.head_dim = 128;
  spec.feed_forward.width = 14336;
  spec.layers.assign(34, {});
  Keys keys(config, "ministral3");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  read_window(keys, config, spec, 0);
  return with_one_rope(keys, config, spec);
}

}  // namespace

extern const Family mistral = {.name = "mistral",
                               .model_type = "mistral",
                               .read = read_mistral,
                               .names = {"model.", llama_base_names, llama_head_names}};

extern const Family ministral3 = {.name = "ministral3",
                                  .model_type = "ministral3",
                                  .read = read_ministral3,
                                  .names = {"model.", llama_base_names, llama_head_names}};

}  // namespace ropewalk::model
