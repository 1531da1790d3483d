// Phi-3 and Phi-3.5 (arXiv 2404.14219): Llama with one tensor for queries, keys and values and one for gate and
// up, and with LongRoPE.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

/// Its classes read "su" and "yarn" as LongRoPE, take the length of training from the top of the
/// configuration, and the factor from the two lengths.
json::Value as_longrope(const Keys& keys, const json::Value& config) {
  json::Value whole = config;
  for (json::Member& member : whole.members) {
    if (member.name != "rope_scaling" && member.name != "rope_parameters") continue;
    json::Value& rule = member.value;
    bool is_longrope = false;
    for (json::Member& key : rule.members) {
      if ((key.name != "type" && key.name != "rope_type") || key.value.kind != json::Kind::text) continue;
      if (key.value.text == "su" || key.value.text == "yarn") key.value.text = "longrope";
      is_longrope = is_longrope || key.value.text == "longrope";
    }
    if (!is_longrope) continue;
    const bool beside = keys.members().find("original_max_position_embeddings") != nullptr;
    std::erase_if(rule.members, [&](const json::Member& key) {
      return key.name == "factor" || (beside && key.name == "original_max_position_embeddings");
    });
  }
  return whole;
}

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 32064;
  spec.hidden = 3072;
  spec.norm.eps = 1e-5;
  spec.attention.packing = AttentionSpec::Packing::blocks;
  spec.feed_forward.width = 8192;
  spec.feed_forward.packing = FeedForwardSpec::Packing::gate_up;
  Keys keys(config, "phi3");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  std::size_t window = 0;
  keys.whole("sliding_window", 1, 1 << 24, window);
  for (LayerSpec& layer : spec.layers) {
    if (window != 0) layer.window = window;
  }
  read_one_rope(keys, as_longrope(keys, config), spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

constexpr Name gguf_names[] = {{"feed_forward.gate_up", "blk.{}.ffn_up"}};
constexpr GgufKey gguf_keys[] = {{"attention.sliding_window", "sliding_window"}};
constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_qkv.bias", "attention_bias"}};

}  // namespace

extern const Family phi3 = {
    .name = "phi3",
    .model_type = "phi3",
    .read = read,
    .names = {"model.", llama_base_names, llama_head_names},
    .gguf = {.architecture = "phi3", .names = gguf_names, .keys = gguf_keys, .switches = gguf_switches}};

}  // namespace ropewalk::model
