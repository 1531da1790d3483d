// EuroBERT (Boizard et al., arXiv 2503.05500): the layers of Llama without the causal mask, with key heads
// that groups of query heads share.

#include "base/text.hpp"
#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "eurobert";

constexpr Name head_names[] = {
    {"masked_lm.decoder", "lm_head"},
    {"sequence_classification.dense", "dense"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
};

/// How a text is classified: `clf_pooling` in the files of the authors, `classifier_pooling` in Transformers.
HeadSpec read_classifier(Keys& keys) {
  HeadSpec head{.kind = "sequence_classification", .dense = true};
  std::string pooling = "late";
  keys.text("classifier_pooling", pooling);
  const bool given = keys.members().find("classifier_pooling") != nullptr;
  std::string own = pooling;
  keys.text("clf_pooling", own);
  if (given && own != pooling) {
    keys.keep(out_of_range(family, "clf_pooling", json::quoted(std::string_view(own)),
                           "what `classifier_pooling` says, " + json::quoted(std::string_view(pooling))));
  }
  if (own != "bos" && own != "mean" && own != "late") {
    keys.keep(out_of_range(family, "clf_pooling", json::quoted(std::string_view(own)),
                           "\"bos\", \"mean\" or \"late\""));
  }
  head.pooled = own == "bos" ? Pooled::first : Pooled::mean;
  head.late = own == "late";
  return head;
}

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 128256;
  spec.hidden = 768;
  spec.norm.eps = 1e-5;
  spec.attention.heads = 12;
  spec.attention.causal = false;
  spec.feed_forward.width = 3072;
  spec.layers.assign(12, {});
  Keys keys(config, family);
  read_llama_layers(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.feed_forward_bias(spec);
  keys.share("hidden_dropout", spec.hidden_dropout);
  spec.possible_heads = {{.kind = "masked_lm", .bias = spec.feed_forward.bias, .tied = spec.tied},
                         read_classifier(keys)};
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family eurobert = {
    .name = family,
    .model_type = family,
    .read = read,
    .names = {"model.", llama_base_names, head_names},
    .gguf = {.architecture = "eurobert", .switches = llama_gguf_switches, .groups_keys = true}};

}  // namespace ropewalk::model
