#include "model/families/bert_like.hpp"

#include <cstdint>

#include "base/text.hpp"

namespace ropewalk::model {

// The bounds keep every product of sizes below 2^62.
void read_bert_like(Keys& keys, Spec& spec, std::size_t fewest_types) {
  std::size_t layers = spec.layers.size();
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("hidden_size", 1, 1 << 16, spec.hidden);
  keys.whole("num_hidden_layers", 1, 1 << 10, layers);
  keys.whole("num_attention_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("intermediate_size", 1, 1 << 18, spec.feed_forward.width);
  keys.whole("type_vocab_size", fewest_types, 1 << 16, spec.embedding.token_types);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.share("hidden_dropout_prob", spec.hidden_dropout);
  keys.share("attention_probs_dropout_prob", spec.attention_dropout);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.flag("is_decoder", spec.attention.causal);
  keys.must_be_false("add_cross_attention");
  spec.layers.resize(layers);
  keys.check_heads(spec);
  keys.padding_id(spec.padding_id);
}

}  // namespace ropewalk::model
