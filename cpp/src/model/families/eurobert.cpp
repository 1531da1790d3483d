// EuroBERT (Boizard et al., arXiv 2503.05500): the layers of Llama without the causal mask, with key heads
// that groups of query heads share.

#include "base/text.hpp"
#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "eurobert";

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"final_norm", "norm"},
};

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
  Spec spec;
  spec.vocabulary = 128256;
  spec.norm = {.kind = NormKind::rms, .eps = 1e-5, .bias = false};
  spec.placement = NormPlacement::pre;
  spec.final_norm = true;
  spec.embedding = {.token_types = 0, .norm = false};
  spec.feed_forward = {.width = 3072, .activation = Activation::silu, .gated = true};
  spec.tied = false;
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.padding_id.reset();
  std::size_t layers = 12;
  bool attention_bias = false, mlp_bias = false;

  Keys keys(config, family);
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("hidden_size", 1, 1 << 16, spec.hidden);
  keys.whole("num_hidden_layers", 1, 1 << 10, layers);
  keys.whole("num_attention_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("num_key_value_heads", 1, 1 << 16, spec.attention.key_heads);
  keys.whole("head_dim", 1, 1 << 16, spec.attention.head_dim);
  keys.whole("intermediate_size", 1, 1 << 18, spec.feed_forward.width);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.epsilon("rms_norm_eps", spec.norm.eps);
  keys.flag("attention_bias", attention_bias);
  keys.flag("mlp_bias", mlp_bias);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.share("hidden_dropout", spec.hidden_dropout);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.padding_id(spec.padding_id);
  keys.check_heads(spec);
  spec.attention.bias = spec.attention.output_bias = attention_bias;
  spec.feed_forward.bias = spec.feed_forward.output_bias = mlp_bias;
  spec.layers.assign(layers, {});
  spec.possible_heads = {{.kind = "masked_lm", .bias = mlp_bias, .tied = spec.tied}, read_classifier(keys)};
  if (!keys.status().ok()) return keys.status();
  Result<RopeOptions> rope = rope_config::read_huggingface(config, {.sequence_length = 1});
  if (!rope.ok()) return rope.status();
  spec.positions = positions::Rope{.ropes = {std::move(rope).value()}};
  return spec;
}

}  // namespace

extern const Family eurobert = {.name = family,
                                .model_type = family,
                                .reads = nullptr,
                                .read = read,
                                .adapt_head = nullptr,
                                .told_by_tensors = nullptr,
                                .note = nullptr,
                                .names = {"model.", base_names, head_names}};

}  // namespace ropewalk::model
