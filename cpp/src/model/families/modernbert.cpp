// ModernBERT (Warner et al., arXiv 2412.13663): pre-norm without biases, gated feed-forward, rotation with
// one base for layers that see everything and one for those with a window.

#include "base/text.hpp"
#include "model/families/bert_like.hpp"
#include "model/families/ropes.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "modernbert";

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.tok_embeddings"},
    {"embedding.norm", "embeddings.norm"},
    {"attention.norm", "layers.{}.attn_norm"},
    {"attention.qkv", "layers.{}.attn.Wqkv"},
    {"attention.output", "layers.{}.attn.Wo"},
    {"feed_forward.norm", "layers.{}.mlp_norm"},
    {"feed_forward.gate_up", "layers.{}.mlp.Wi"},
    {"feed_forward.down", "layers.{}.mlp.Wo"},
    {"final_norm", "final_norm"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "head.dense"},
    {"masked_lm.norm", "head.norm"},
    {"masked_lm.decoder", "decoder"},
    {"sequence_classification.dense", "head.dense"},
    {"sequence_classification.norm", "head.norm"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.dense", "head.dense"},
    {"token_classification.norm", "head.norm"},
    {"token_classification.output", "classifier"},
};

constexpr Name gguf_names[] = {{"feed_forward.gate_up", "blk.{}.ffn_up"},
                               {"sequence_classification.dense", "cls"},
                               {"sequence_classification.norm", "cls.norm"},
                               {"sequence_classification.output", "cls.output"}};
constexpr GgufKey gguf_keys[] = {{"attention.sliding_window", "local_attention"},
                                 {"attention.sliding_window_pattern", "global_attn_every_n_layers"}};

/// True if each layer has a window. Without `layer_types` all have one but each `global_attn_every_n_layers`-th.
std::vector<bool> windows(Keys& keys, std::size_t layers) {
  std::size_t period = 3;
  keys.whole("global_attn_every_n_layers", 1, 1 << 10, period);
  std::vector<bool> slides;
  for (std::size_t l = 0; l < layers; ++l) slides.push_back(l % period != 0);
  return read_layer_types(keys, std::move(slides));
}

void read_layers(Keys& keys, const json::Value& config, Spec& spec) {
  std::size_t total = 128;
  keys.whole("local_attention", 1, 1 << 24, total);
  const std::vector<bool> slides = windows(keys, spec.layers.size());
  if (!keys.status().ok()) return;
  read_ropes_by_type(keys, config, slides, total / 2, spec);
  spec.layers[0].attention_norm = false;
}

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 50368;
  spec.hidden = 768;
  spec.norm = {.eps = 1e-5, .bias = false};
  spec.placement = NormPlacement::pre;
  spec.final_norm = true;
  spec.embedding.token_types = 0;
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.padding_id = 50283;
  FeedForwardSpec& feed_forward = spec.feed_forward;
  feed_forward = {.width = 1152, .gated = true, .packing = FeedForwardSpec::Packing::gate_up};
  spec.attention.packing = AttentionSpec::Packing::blocks;
  spec.layers.assign(22, {});

  Keys keys(config, family);
  keys.sizes(spec);
  keys.activation("hidden_activation", feed_forward.activation);
  keys.epsilon("norm_eps", spec.norm.eps);
  keys.flag("norm_bias", spec.norm.bias);
  keys.attention_bias(spec);
  keys.feed_forward_bias(spec);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.padding_id(spec.padding_id);
  keys.check_heads(spec);
  check_base(keys, "global_rope_theta", full_attention);
  check_base(keys, "local_rope_theta", sliding_attention);
  read_layers(keys, config, spec);

  bool dense_bias = false, decoder_bias = true;
  Activation activation = Activation::gelu;
  std::string pooling = "cls";
  keys.flag("classifier_bias", dense_bias);
  keys.flag("decoder_bias", decoder_bias);
  keys.activation("classifier_activation", activation);
  keys.text("classifier_pooling", pooling);
  if (pooling != "cls" && pooling != "mean") {
    keys.keep(out_of_range(family, "classifier_pooling", json::quoted(std::string_view(pooling)),
                           "\"cls\" or \"mean\""));
  }
  if (!keys.status().ok()) return keys.status();
  const HeadSpec transform{
      .kind = {}, .dense = true, .dense_bias = dense_bias, .activation = activation, .norm = true};
  for (const char* kind : {"masked_lm", "sequence_classification", "token_classification"}) {
    HeadSpec head = transform;
    head.kind = kind;
    if (head.kind == "masked_lm") {
      head.bias = decoder_bias;
      head.tied = spec.tied;
    }
    if (pooling == "mean") head.pooled = Pooled::mean;
    spec.possible_heads.push_back(head);
  }
  return spec;
}

}  // namespace

extern const Family modernbert = {.name = family,
                                  .model_type = family,
                                  .read = read,
                                  .names = {"model.", base_names, head_names},
                                  .gguf = {.architecture = "modern-bert",
                                           .names = gguf_names,
                                           .keys = gguf_keys,
                                           .epsilon = {"attention.layer_norm_epsilon", "norm_eps"}}};

}  // namespace ropewalk::model
