#include "model/families/llama_like.hpp"

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

void read_llama_layers(Keys& keys, Spec& spec, bool tied) {
  spec.tied = tied;
  keys.sizes(spec);
  keys.whole("num_key_value_heads", 1, 1 << 16, spec.attention.key_heads);
  keys.whole("head_dim", 1, 1 << 16, spec.attention.head_dim);
  keys.epsilon("rms_norm_eps", spec.norm.eps);
  keys.flag("tie_word_embeddings", spec.tied);
  // Embedders made of decoders may let every token see all others, which Transformers does where this is false.
  keys.flag("is_causal", spec.attention.causal);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.padding_id(spec.padding_id);
  keys.must_be_false("add_cross_attention");
  keys.check_heads(spec);
}

void read_llama_like(Keys& keys, Spec& spec, bool tied) {
  read_llama_layers(keys, spec, tied);
  spec.heads = {causal_head(spec.tied)};
}

Result<const json::Value*> text_part(const json::Value& config, std::string_view family) {
  const json::Members members(config, family);
  const json::Value* const text = members.find("text_config");
  if (text != nullptr && text->kind == json::Kind::object) return text;
  const json::Value none;
  return members.refuse("text_config", text == nullptr ? none : *text, "the object of a text model", false);
}

std::vector<bool> every_nth_full(std::size_t layers, std::size_t n) {
  std::vector<bool> slides;
  for (std::size_t l = 0; l < layers; ++l) slides.push_back((l + 1) % n != 0);
  return slides;
}

Result<Spec> with_one_rope(Keys& keys, const json::Value& config, Spec& spec) {
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return std::move(spec);
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

}  // namespace ropewalk::model
