#include "model/families/gemma_keys.hpp"

#include <cmath>

namespace ropewalk::model {

Spec gemma_spec() {
  Spec spec = llama_like_spec();
  spec.vocabulary = 256000;
  spec.hidden = 2304;
  spec.norm.kind = NormKind::rms_plus_one;
  spec.placement = NormPlacement::sandwich;
  spec.attention.heads = 8;
  spec.attention.key_heads = 4;
  spec.attention.head_dim = 256;
  spec.feed_forward.width = 9216;
  spec.feed_forward.activation = Activation::gelu_tanh;
  spec.layers.assign(26, {});
  spec.padding_id = 0;
  return spec;
}

void adapt_gguf_gemma(Spec& spec) {
  spec.norm.kind = NormKind::rms;
  if (spec.attention.qk_norm) spec.attention.qk_norm->kind = NormKind::rms;
  spec.embedding.rounds_scale = false;
  spec.attention.scale = 1 / std::sqrt(static_cast<double>(spec.head_dim()));
}

void read_gemma(Keys& keys, Spec& spec) {
  double scalar = 256;
  read_llama_layers(keys, spec, true);
  if (keys.members().find("hidden_activation") != nullptr)
    keys.activation("hidden_activation", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.positive("query_pre_attn_scalar", 1e30, "a number above 0", scalar);
  spec.attention.scale = 1 / std::sqrt(scalar);
  spec.embedding.scale = std::sqrt(static_cast<double>(spec.hidden));
}

std::vector<bool> gemma3_windows(Keys& keys, std::size_t layers) {
  std::size_t pattern = 6;
  keys.whole("_sliding_window_pattern", 1, 1 << 10, pattern);
  keys.whole("sliding_window_pattern", 1, 1 << 10, pattern);
  return read_layer_types(keys, every_nth_full(layers, pattern));
}

}  // namespace ropewalk::model
