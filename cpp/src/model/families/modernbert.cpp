// ModernBERT (Warner et al., arXiv 2412.13663): pre-norm without biases, gated feed-forward, rotation with
// one base for layers that see everything and one for those with a window.

#include <algorithm>

#include "base/text.hpp"
#include "model/families/bert_like.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "modernbert", full = "full_attention", sliding = "sliding_attention";

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

/// Which layers have a window: `layer_types`, or all but each `global_attn_every_n_layers`-th.
std::vector<bool> windows(Keys& keys, std::size_t layers) {
  std::size_t period = 3;
  keys.whole("global_attn_every_n_layers", 1, 1 << 10, period);
  std::vector<bool> slides;
  for (std::size_t l = 0; l < layers; ++l) slides.push_back(l % period != 0);
  const json::Value* types = keys.members().find("layer_types");
  if (types == nullptr) return slides;
  constexpr std::string_view allowed =
      "as many of \"full_attention\" and \"sliding_attention\" as there are layers";
  if (types->kind != json::Kind::array || types->items.size() != layers) {
    keys.keep(keys.members().refuse("layer_types", *types, allowed, false));
    return slides;
  }
  for (std::size_t l = 0; l < layers; ++l) {
    const json::Value& type = types->items[l];
    const bool known = type.kind == json::Kind::text && (type.text == full || type.text == sliding);
    if (!known) keys.keep(keys.members().refuse("layer_types", type, allowed, true));
    slides[l] = known && type.text == sliding;
  }
  return slides;
}

/// The base of a kind of layers has an old key and a new one, which must agree.
void check_base(Keys& keys, std::string_view old_key, std::string_view kind) {
  const json::Value* parameters = keys.members().find("rope_parameters");
  const json::Value* of_kind = parameters == nullptr ? nullptr : parameters->find(kind);
  const json::Value* now = of_kind == nullptr ? nullptr : of_kind->find("rope_theta");
  const json::Value* before = keys.members().find(old_key);
  if (now == nullptr || before == nullptr || now->real == before->real) return;
  keys.keep(
      keys.members().refuse(old_key, *before, "what `rope_parameters` says, " + text_of(now->real), true));
}

/// The ropes of the kinds of layers that there are, and which layer has which.
void read_layers(Keys& keys, const json::Value& config, Spec& spec) {
  std::size_t layers = 22, total = 128;
  keys.whole("num_hidden_layers", 1, 1 << 10, layers);
  keys.whole("local_attention", 1, 1 << 24, total);
  const std::vector<bool> slides = windows(keys, layers);
  if (!keys.status().ok()) return;
  positions::Rope rope;
  std::optional<std::size_t> of_full, of_sliding;
  spec.layers.assign(layers, {});
  for (std::size_t l = 0; l < layers; ++l) {
    std::optional<std::size_t>& index = slides[l] ? of_sliding : of_full;
    if (!index) {
      Result<RopeOptions> read = rope_config::read_huggingface(
          config, {.sequence_length = 1, .layer_type = std::string(slides[l] ? sliding : full)});
      keys.keep(read.status());
      if (!read.ok()) return;
      index = rope.ropes.size();
      rope.ropes.push_back(std::move(read).value());
    }
    spec.layers[l].rope = index;
    if (slides[l]) spec.layers[l].window = total / 2;
  }
  spec.layers[0].attention_norm = false;
  spec.positions = std::move(rope);
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
  bool attention_bias = false, mlp_bias = false;

  Keys keys(config, family);
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("hidden_size", 1, 1 << 16, spec.hidden);
  keys.whole("num_attention_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("intermediate_size", 1, 1 << 18, feed_forward.width);
  keys.activation("hidden_activation", feed_forward.activation);
  keys.epsilon("norm_eps", spec.norm.eps);
  keys.flag("norm_bias", spec.norm.bias);
  keys.flag("attention_bias", attention_bias);
  keys.flag("mlp_bias", mlp_bias);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.padding_id(spec.padding_id);
  spec.attention.bias = spec.attention.output_bias = attention_bias;
  feed_forward.bias = feed_forward.output_bias = mlp_bias;
  keys.check_heads(spec);
  check_base(keys, "global_rope_theta", full);
  check_base(keys, "local_rope_theta", sliding);
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
                                  .reads = nullptr,
                                  .read = read,
                                  .adapt_head = nullptr,
                                  .told_by_tensors = nullptr,
                                  .note = nullptr,
                                  .names = {"model.", base_names, head_names}};

}  // namespace ropewalk::model
