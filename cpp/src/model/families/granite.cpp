// Granite 3 and 4 without experts (IBM 2024): Llama with a factor for word vectors, branches, scores and logits.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read(const json::Value& config) {
  constexpr std::string_view allowed = "a number above 0";
  double scores = 1, divisor = 1;
  Spec spec = llama_like_spec();
  Keys keys(config, "granite");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.feed_forward_bias(spec);
  keys.positive("embedding_multiplier", 1e30, allowed, spec.embedding.scale);
  keys.positive("residual_multiplier", 1e30, allowed, spec.branch_scale);
  keys.positive("attention_multiplier", 1e30, allowed, scores);
  keys.positive("logits_scaling", 1e30, allowed, divisor);
  spec.attention.scale = scores;
  spec.heads[0].scale = 1 / divisor;
  return with_one_rope(keys, config, spec);
}

constexpr GgufKey gguf_keys[] = {{"embedding_scale", "embedding_multiplier"},
                                 {"residual_scale", "residual_multiplier"},
                                 {"attention.scale", "attention_multiplier"},
                                 {"logit_scale", "logits_scaling"}};

}  // namespace

extern const Family granite = {
    .name = "granite",
    .model_type = "granite",
    .read = read,
    .names = {"model.", llama_base_names, llama_head_names},
    .gguf = {.architecture = "granite", .keys = gguf_keys, .switches = llama_gguf_switches}};

}  // namespace ropewalk::model
