#include "model/families/decoder_keys.hpp"

#include "rope_config/read.hpp"

namespace ropewalk::model {

Spec llama_like_spec() {
  Spec spec;
  spec.vocabulary = 32000;
  spec.hidden = 4096;
  spec.norm = {.kind = NormKind::rms, .eps = 1e-6, .bias = false};
  spec.placement = NormPlacement::pre;
  spec.final_norm = true;
  spec.embedding = {.token_types = 0, .norm = false};
  spec.attention = {.heads = 32, .bias = false, .output_bias = false, .causal = true};
  spec.feed_forward = {
      .width = 11008, .activation = Activation::silu, .gated = true, .bias = false, .output_bias = false};
  spec.layers.assign(32, {});
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.padding_id.reset();
  return spec;
}

// The bounds keep every product of sizes below 2^62.
void read_llama_like(Keys& keys, Spec& spec, bool tied) {
  std::size_t layers = spec.layers.size();
  spec.tied = tied;
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("hidden_size", 1, 1 << 16, spec.hidden);
  keys.whole("num_hidden_layers", 1, 1 << 10, layers);
  keys.whole("num_attention_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("num_key_value_heads", 1, 1 << 16, spec.attention.key_heads);
  keys.whole("head_dim", 1, 1 << 16, spec.attention.head_dim);
  keys.whole("intermediate_size", 1, 1 << 18, spec.feed_forward.width);
  keys.epsilon("rms_norm_eps", spec.norm.eps);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.padding_id(spec.padding_id);
  keys.must_be_false("add_cross_attention");
  keys.check_heads(spec);
  spec.layers.assign(layers, {});
  spec.heads = {causal_head(spec.tied)};
}

void set_windows(Keys& keys, Spec& spec, std::size_t window, std::vector<bool> otherwise) {
  const std::vector<bool> slides = read_layer_types(keys, std::move(otherwise));
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    if (slides[l]) spec.layers[l].window = window;
  }
}

HeadSpec causal_head(bool tied, double cap) {
  HeadSpec head{.kind = "causal_lm", .bias = false, .tied = tied};
  head.soft_cap = cap;
  return head;
}

void read_one_rope(Keys& keys, const json::Value& config, Spec& spec) {
  if (!keys.status().ok()) return;
  Result<RopeOptions> rope = rope_config::read_huggingface(config, {.sequence_length = 1});
  keys.keep(rope.status());
  if (rope.ok()) spec.positions = positions::Rope{.ropes = {std::move(rope).value()}};
}

void set_member(json::Value& object, std::string_view name, json::Value value) {
  for (json::Member& member : object.members) {
    if (member.name != name) continue;
    member.value = std::move(value);
    return;
  }
  object.members.push_back({std::string(name), std::move(value)});
}

json::Value number(double value) {
  json::Value result;
  const bool whole = value >= 0 && value < 0x1p53 && value == static_cast<double>(static_cast<std::uint64_t>(value));
  result.kind = whole ? json::Kind::whole : json::Kind::real;
  if (whole) result.magnitude = static_cast<std::uint64_t>(value);
  result.real = value;
  return result;
}

}  // namespace ropewalk::model
