// Qwen 2 and 2.5 (arXiv 2407.10671), which have biases on queries, keys and values alone, and Qwen 3 (arXiv
// 2505.09388), which has norms of each query and key instead.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

/// Published files name a window and switch it off.
void read_windows(Keys& keys, Spec& spec) {
  bool uses = false;
  std::size_t window = 4096, first = 28;
  keys.flag("use_sliding_window", uses);
  keys.whole("sliding_window", 1, 1 << 24, window);
  keys.whole("max_window_layers", 0, 1 << 10, first);
  std::vector<bool> slides;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) slides.push_back(l >= first);
  if (uses) set_windows(keys, spec, window, std::move(slides));
}

Result<Spec> read_qwen2(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 151936;
  spec.attention.key_heads = 32;
  spec.attention.bias = true;
  spec.feed_forward.width = 22016;
  Keys keys(config, "qwen2");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  read_windows(keys, spec);
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

Result<Spec> read_qwen3(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 151936;
  spec.attention.key_heads = 32;
  spec.attention.head_dim = 128;
  spec.feed_forward.width = 22016;
  Keys keys(config, "qwen3");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  spec.attention.qk_norm = spec.norm;
  read_windows(keys, spec);
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

constexpr GgufSwitch qwen3_switches[] = {{"blk.0.attn_q.bias", "attention_bias"}};

}  // namespace

extern const Family qwen2 = {.name = "qwen2",
                             .model_type = "qwen2",
                             .read = read_qwen2,
                             .names = {"model.", llama_base_names, llama_head_names},
                             .gguf = {.architecture = "qwen2"}};

extern const Family qwen3 = {.name = "qwen3",
                             .model_type = "qwen3",
                             .read = read_qwen3,
                             .names = {"model.", llama_base_names, llama_head_names},
                             .gguf = {.architecture = "qwen3", .switches = qwen3_switches}};

}  // namespace ropewalk::model
