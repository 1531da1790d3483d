// ERNIE 4.5 without experts (Baidu 2025): Llama with interleaved pairs and one switch for all biases.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 103424;
  spec.hidden = 1024;
  spec.norm.eps = 1e-5;
  spec.attention.heads = 16;
  spec.attention.key_heads = 2;
  spec.attention.head_dim = 128;
  spec.feed_forward.width = 3072;
  spec.layers.assign(18, {});
  bool bias = false;
  Keys keys(config, "ernie4_5");
  read_llama_like(keys, spec, true);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.flag("use_bias", bias);
  spec.attention.bias = spec.attention.output_bias = bias;
  spec.feed_forward.bias = spec.feed_forward.output_bias = bias;
  return with_one_rope(keys, config, spec);
}

constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_q.bias", "use_bias"}};

}  // namespace

extern const Family ernie4_5 = {.name = "ernie4_5",
                                .model_type = "ernie4_5",
                                .read = read,
                                .names = {"model.", llama_base_names, llama_head_names},
                                .gguf = {.architecture = "ernie4_5", .switches = gguf_switches}};

}  // namespace ropewalk::model
