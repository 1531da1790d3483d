// GLM 4 9B and GLM Edge as Hugging Face's class "glm" (arXiv 2406.12793): half of each head rotates, in interleaved pairs.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 151552;
  spec.norm.eps = 1.5625e-7;
  spec.attention.key_heads = 2;
  spec.attention.head_dim = 128;
  spec.feed_forward.width = 13696;
  spec.feed_forward.packing = FeedForwardSpec::Packing::gate_up;
  spec.layers.assign(40, {});
  Keys keys(config, "glm");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.flag("attention_bias", spec.attention.bias);
  return with_one_rope(keys, config, spec);
}

}  // namespace

extern const Family glm = {.name = "glm",
                           .model_type = "glm",
                           .read = read,
                           .names = {"model.", llama_base_names, llama_head_names}};

}  // namespace ropewalk::model
