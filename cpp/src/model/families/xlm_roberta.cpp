// XLM-RoBERTa (Conneau et al., arXiv 1911.02116), which E5 and many rerankers are: BERT whose positions begin
// behind the id of padding and do not count it, with heads of its own.

#include "base/text.hpp"
#include "model/families/bert_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name head_names[] = {
    {"masked_lm.dense", "lm_head.dense"},
    {"masked_lm.norm", "lm_head.layer_norm"},
    {"masked_lm.decoder", "lm_head.decoder"},
    {"masked_lm.decoder.bias", "lm_head.bias"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.output", "classifier"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  spec.padding_id = 1;
  Keys keys(config, "xlm-roberta");
  read_bert_like(keys, spec);
  const std::size_t rows = read_absolute_positions(keys);
  if (!spec.padding_id) {
    keys.keep(out_of_range("xlm-roberta", "pad_token_id", "null", "an id, behind which positions begin"));
  } else {
    spec.positions =
        positions::Learned{.rows = rows, .padding_id = static_cast<std::int32_t>(*spec.padding_id)};
  }
  if (!keys.status().ok()) return keys.status();
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) {
  if (head.kind == "masked_lm") head.activation = Activation::gelu;
  classify_by_first(head);
}

}  // namespace

extern const Family xlm_roberta = {.name = "xlm-roberta",
                                   .model_type = "xlm-roberta",
                                   .read = read,
                                   .adapt_head = adapt_head,
                                   .names = {"roberta.", bert_base_names, head_names}};

}  // namespace ropewalk::model
