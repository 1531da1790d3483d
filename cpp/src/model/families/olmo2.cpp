// OLMo 2 (arXiv 2501.00656): norms behind each branch, norms of queries and keys over all heads together.

#include "model/families/gemma_keys.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 50304;
  spec.norm.eps = 1e-5;
  spec.placement = NormPlacement::after;
  spec.attention.qk_norm_of_all_heads = true;
  Keys keys(config, "olmo2");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  spec.attention.qk_norm = spec.norm;
  return with_one_rope(keys, config, spec);
}

}  // namespace

extern const Family olmo2 = {.name = "olmo2",
                             .model_type = "olmo2",
                             .read = read,
                             .names = {"model.", gemma_base_names, llama_head_names}};

}  // namespace ropewalk::model
