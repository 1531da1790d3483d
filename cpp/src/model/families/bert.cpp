// BERT (Devlin et al., arXiv 1810.04805): learned positions, and a layer of the base model, the pooler,
// before the heads that read a whole sequence.

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

constexpr Name gguf_names[] = {{"attention.norm", "blk.{}.attn_output_norm"},
                               {"feed_forward.norm", "blk.{}.layer_output_norm"},
                               {"sequence_classification.dense", "cls"},
                               {"sequence_classification.output", "cls.output"}};
constexpr GgufKey gguf_epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  Keys keys(config, "bert");
  read_bert_like(keys, spec, 0);
  spec.positions = positions::Learned{.rows = read_absolute_positions(keys)};
  if (!keys.status().ok()) return keys.status();
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) { classify_by_first(head); }

}  // namespace

extern const Family bert = {.name = "bert",
                            .model_type = "bert",
                            .read = read,
                            .adapt_head = adapt_head,
                            .names = {"bert.", bert_base_names, head_names},
                            .gguf = {.architecture = "bert", .names = gguf_names, .epsilon = gguf_epsilon}};

}  // namespace ropewalk::model
