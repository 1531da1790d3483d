// ELECTRA (Clark et al., arXiv 2003.10555): BERT whose word vectors may be narrower than the model, with heads of its own.

#include "model/families/bert_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name head_names[] = {
    {"masked_lm.dense", "generator_predictions.dense"},
    {"masked_lm.norm", "generator_predictions.LayerNorm"},
    {"masked_lm.decoder", "generator_lm_head"},
    {"masked_lm.decoder.bias", "generator_lm_head.bias"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.dense", "sequence_summary.summary"},
    {"choice.output", "classifier"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  spec.hidden = 256;
  spec.attention.heads = 4;
  spec.feed_forward.width = 1024;
  spec.embedding.width = 128;
  Keys keys(config, "electra");
  read_bert_like(keys, spec);
  keys.whole("embedding_size", 1, 1 << 16, spec.embedding.width);
  keys.must_be("summary_type", "first", "first");
  keys.must_be("summary_activation", "gelu", "gelu");
  spec.positions = positions::Learned{.rows = read_absolute_positions(keys)};
  if (!keys.status().ok()) return keys.status();
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) {
  classify_by_first(head);
  head.activation = Activation::gelu;
}

}  // namespace

extern const Family electra = {.name = "electra",
                               .model_type = "electra",
                               .read = read,
                               .adapt_head = adapt_head,
                               .names = {"electra.", bert_base_names, head_names}};

}  // namespace ropewalk::model
