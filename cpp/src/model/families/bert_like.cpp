#include "model/families/bert_like.hpp"

#include <cstdint>

#include "base/text.hpp"

namespace ropewalk::model {

void read_bert_like(Keys& keys, Spec& spec, std::size_t fewest_types) {
  keys.sizes(spec);
  keys.whole("type_vocab_size", fewest_types, 1 << 16, spec.embedding.token_types);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.share("hidden_dropout_prob", spec.hidden_dropout);
  keys.share("attention_probs_dropout_prob", spec.attention_dropout);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.flag("is_decoder", spec.attention.causal);
  keys.must_be_false("add_cross_attention");
  keys.check_heads(spec);
  keys.padding_id(spec.padding_id);
}

std::size_t read_absolute_positions(Keys& keys) {
  std::size_t rows = 512;
  keys.whole("max_position_embeddings", 1, 1 << 24, rows);
  keys.must_be("position_embedding_type", "absolute", "absolute");
  return rows;
}

positions::Learned read_positions_behind_padding(Keys& keys, const Spec& spec) {
  positions::Learned learned{.rows = read_absolute_positions(keys)};
  if (spec.padding_id) {
    learned.padding_id = static_cast<std::int32_t>(*spec.padding_id);
  } else {
    keys.keep(out_of_range(keys.family(), "pad_token_id", "null", "an id, behind which positions begin"));
  }
  return learned;
}

void classify_by_first(HeadSpec& head) {
  if (head.kind != "sequence_classification" && head.kind != "choice") return;
  head.pooled = Pooled::first;
  head.dense = true;
  head.activation = Activation::tanh;
}

void adapt_roberta_head(const Spec&, HeadSpec& head) {
  if (head.kind == "masked_lm") head.activation = Activation::gelu;
  classify_by_first(head);
}

}  // namespace ropewalk::model
