// nanochat (Karpathy 2025): norms without weights, also of the word vectors and of the queries and keys that have rotated;
// a squared ReLU, capped logits, and heads that rotate by minus their position.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"feed_forward.up", "layers.{}.mlp.fc1"},
    {"feed_forward.down", "layers.{}.mlp.fc2"},
};

/// The reader of ropes refuses a model that rotates backwards, which no option of theirs says: it is asked without the name.
void read_backwards(Keys& keys, const json::Value& config, Spec& spec) {
  json::Value nameless = config;
  std::erase_if(nameless.members, [](const json::Member& each) { return each.name == "model_type"; });
  read_one_rope(keys, nameless, spec);
  if (keys.status().ok()) std::get<positions::Rope>(spec.positions).backwards = true;
}

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 50304;
  spec.hidden = 768;
  spec.norm.gain = false;
  spec.embedding.norm = true;
  spec.attention.heads = 6;
  spec.attention.key_heads = 6;
  spec.attention.qk_norm_after_rotation = true;
  spec.feed_forward = {.width = 8192, .activation = Activation::relu2, .bias = false, .output_bias = false};
  spec.layers.assign(12, {});
  double cap = config.find("final_logit_softcapping") == nullptr ? 15 : 0;
  Keys keys(config, "nanochat");
  read_llama_layers(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.flag("attention_bias", spec.attention.bias);
  keys.positive("final_logit_softcapping", 1e30, "a number above 0, or null", cap);
  spec.heads = {causal_head(spec.tied, cap)};
  spec.attention.output_bias = spec.attention.bias;
  spec.attention.qk_norm = spec.norm;
  read_backwards(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family nanochat = {.name = "nanochat",
                                .model_type = "nanochat",
                                .read = read,
                                .names = {"model.", base_names, llama_head_names},
                                .trainable = false};

}  // namespace ropewalk::model
