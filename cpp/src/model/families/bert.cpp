// BERT (Devlin et al., arXiv 1810.04805): learned positions, and a layer of the base model, the pooler,
// before the heads that read a whole sequence.

#include "base/text.hpp"
#include "model/families/bert_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name head_names[] = {
    {"masked_lm.dense", "cls.predictions.transform.dense"},
    {"masked_lm.norm", "cls.predictions.transform.LayerNorm"},
    {"masked_lm.decoder", "cls.predictions.decoder"},
    {"masked_lm.decoder.bias", "cls.predictions.bias"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.output", "classifier"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  std::size_t positions = 512;
  std::string kind = "absolute";
  Keys keys(config, "bert");
  read_bert_like(keys, spec);
  keys.whole("max_position_embeddings", 1, 1 << 24, positions);
  keys.text("position_embedding_type", kind);
  if (kind != "absolute") {
    keys.keep(
        unsupported("bert", "position_embedding_type", json::quoted(std::string_view(kind)), "\"absolute\""));
  }
  spec.positions = positions::Learned{.rows = positions};
  if (!keys.status().ok()) return keys.status();
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) {
  if (head.kind != "sequence_classification" && head.kind != "choice") return;
  head.pooled = Pooled::first;
  head.dense = true;
  head.activation = Activation::tanh;
}

}  // namespace

extern const Family bert = {.name = "bert",
                            .model_type = "bert",
                            .reads = nullptr,
                            .read = read,
                            .adapt_head = adapt_head,
                            .told_by_tensors = nullptr,
                            .note = nullptr,
                            .names = {"bert.", bert_base_names, head_names}};

}  // namespace ropewalk::model
