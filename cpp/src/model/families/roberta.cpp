// RoBERTa (Liu et al., arXiv 1907.11692), CamemBERT (arXiv 1911.03894) and XLM-RoBERTa (arXiv 1911.02116): BERT whose
// positions begin behind the id of padding and do not count it, with heads of its own. The three differ in the size of
// their vocabulary alone, which files give.

#include "model/families/bert_like.hpp"

namespace ropewalk::model {
namespace {

Result<Spec> read_as(std::string_view family, std::size_t vocabulary, const json::Value& config) {
  Spec spec;
  spec.vocabulary = vocabulary;
  spec.padding_id = 1;
  Keys keys(config, family);
  read_bert_like(keys, spec);
  spec.positions = read_positions_behind_padding(keys, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}
Result<Spec> read_roberta(const json::Value& config) { return read_as("roberta", 50265, config); }
Result<Spec> read_camembert(const json::Value& config) { return read_as("camembert", 30522, config); }
Result<Spec> read_xlm_roberta(const json::Value& config) { return read_as("xlm-roberta", 30522, config); }

}  // namespace

extern const Family roberta = {.name = "roberta",
                               .model_type = "roberta",
                               .read = read_roberta,
                               .adapt_head = adapt_roberta_head,
                               .names = {"roberta.", bert_base_names, roberta_head_names}};

extern const Family camembert = {.name = "camembert",
                                 .model_type = "camembert",
                                 .read = read_camembert,
                                 .adapt_head = adapt_roberta_head,
                                 .names = {"roberta.", bert_base_names, roberta_head_names}};

extern const Family xlm_roberta = {.name = "xlm-roberta",
                                   .model_type = "xlm-roberta",
                                   .read = read_xlm_roberta,
                                   .adapt_head = adapt_roberta_head,
                                   .names = {"roberta.", bert_base_names, roberta_head_names}};

}  // namespace ropewalk::model
