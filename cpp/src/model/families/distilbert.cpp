// DistilBERT (Sanh et al., arXiv 1910.01108): BERT of half as many layers, without token types and pooler, under names of
// its own.

#include "model/families/bert_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.positions", "embeddings.position_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"attention.query", "transformer.layer.{}.attention.q_lin"},
    {"attention.key", "transformer.layer.{}.attention.k_lin"},
    {"attention.value", "transformer.layer.{}.attention.v_lin"},
    {"attention.output", "transformer.layer.{}.attention.out_lin"},
    {"attention.norm", "transformer.layer.{}.sa_layer_norm"},
    {"feed_forward.up", "transformer.layer.{}.ffn.lin1"},
    {"feed_forward.down", "transformer.layer.{}.ffn.lin2"},
    {"feed_forward.norm", "transformer.layer.{}.output_layer_norm"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "vocab_transform"},
    {"masked_lm.norm", "vocab_layer_norm"},
    {"masked_lm.decoder", "vocab_projector"},
    {"masked_lm.decoder.bias", "vocab_projector.bias"},
    {"sequence_classification.dense", "pre_classifier"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.dense", "pre_classifier"},
    {"choice.output", "classifier"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  spec.embedding.token_types = 0;
  std::size_t layers = 6, rows = 512;
  Keys keys(config, "distilbert");
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("dim", 1, 1 << 16, spec.hidden);
  keys.whole("n_layers", 1, 1 << 10, layers);
  keys.whole("n_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("hidden_dim", 1, 1 << 18, spec.feed_forward.width);
  keys.whole("max_position_embeddings", 1, 1 << 24, rows);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.activation("activation", spec.feed_forward.activation);
  keys.share("dropout", spec.hidden_dropout);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.padding_id(spec.padding_id);
  keys.check_heads(spec);
  spec.layers.resize(layers);
  // The table holds the sines where `sinusoidal_pos_embds` is true; the dropout is that of a head alone.
  for (const auto quiet : {"sinusoidal_pos_embds", "seq_classif_dropout", "qa_dropout"})
    keys.members().find(quiet);
  spec.positions = positions::Learned{.rows = rows};
  if (!keys.status().ok()) return keys.status();
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) {
  classify_by_first(head);
  if (head.kind != "masked_lm") head.activation = Activation::relu;
}

}  // namespace

extern const Family distilbert = {.name = "distilbert",
                                  .model_type = "distilbert",
                                  .read = read,
                                  .adapt_head = adapt_head,
                                  .names = {"distilbert.", base_names, head_names}};

}  // namespace ropewalk::model
