// EmbeddingGemma (arXiv 2509.20354): the layers of Gemma 3 in both directions, most of them with a window.

#include <cmath>

#include "base/text.hpp"
#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "model/families/layer_types.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "gemma3_text";

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.query_norm", "layers.{}.self_attn.q_norm"},
    {"attention.key_norm", "layers.{}.self_attn.k_norm"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"attention.after_norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.norm", "layers.{}.pre_feedforward_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"feed_forward.after_norm", "layers.{}.post_feedforward_layernorm"},
    {"final_norm", "norm"},
};

bool is_true(const json::Value* value) {
  return value != nullptr && value->kind == json::Kind::boolean && value->boolean;
}

/// Each sixth layer is full, or each `sliding_window_pattern`-th, where `layer_types` does not say.
std::vector<bool> windows(Keys& keys, std::size_t layers) {
  std::size_t pattern = 6;
  keys.whole("_sliding_window_pattern", 1, 1 << 10, pattern);
  keys.whole("sliding_window_pattern", 1, 1 << 10, pattern);
  std::vector<bool> slides;
  for (std::size_t l = 0; l < layers; ++l) slides.push_back((l + 1) % pattern != 0);
  return read_layer_types(keys, std::move(slides));
}

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 262208;
  spec.hidden = 2304;
  spec.norm = {.kind = NormKind::rms_plus_one, .eps = 1e-6, .bias = false};
  spec.placement = NormPlacement::sandwich;
  spec.final_norm = true;
  spec.embedding = {.token_types = 0, .norm = false};
  spec.attention = {.heads = 8, .key_heads = 4, .head_dim = 256, .bias = false, .output_bias = false};
  spec.feed_forward = {
      .width = 9216, .activation = Activation::gelu_tanh, .gated = true, .bias = false, .output_bias = false};
  spec.hidden_dropout = spec.attention_dropout = 0;
  std::size_t layers = 26, window = 4096;
  bool bias = false;
  double scalar = 256;

  Keys keys(config, family);
  if (!is_true(keys.members().find("use_bidirectional_attention"))) {
    return out_of_range(family, "use_bidirectional_attention", "not true",
                        "true: without it this is a decoder, which makes no sentence vectors");
  }
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("hidden_size", 1, 1 << 16, spec.hidden);
  keys.whole("num_hidden_layers", 1, 1 << 10, layers);
  keys.whole("num_attention_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("num_key_value_heads", 1, 1 << 16, spec.attention.key_heads);
  keys.whole("head_dim", 1, 1 << 16, spec.attention.head_dim);
  keys.whole("intermediate_size", 1, 1 << 18, spec.feed_forward.width);
  keys.whole("sliding_window", 1, 1 << 24, window);
  keys.activation("hidden_activation", spec.feed_forward.activation);
  keys.epsilon("rms_norm_eps", spec.norm.eps);
  keys.flag("attention_bias", bias);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.positive("query_pre_attn_scalar", 1e30, "a number above 0", scalar);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.padding_id(spec.padding_id);
  for (const char* cap : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    if (const json::Value* value = keys.members().find(cap))
      keys.keep(keys.members().refuse(cap, *value, "null", true));
  }
  const std::vector<bool> slides = windows(keys, layers);
  check_base(keys, "rope_theta", full_attention);
  check_base(keys, "rope_local_base_freq", sliding_attention);
  if (!keys.status().ok()) return keys.status();
  spec.attention.bias = spec.attention.output_bias = bias;
  spec.attention.qk_norm = spec.norm;
  spec.attention.scale = 1 / std::sqrt(scalar);
  spec.embedding.scale = std::sqrt(static_cast<double>(spec.hidden));
  const json::Value whole = with_bases(
      config, {{"rope_theta", full_attention, 1e6}, {"rope_local_base_freq", sliding_attention, 1e4}});
  // (w / 2) + 1 with an exclusive bound in the original.
  read_ropes_by_type(keys, whole, slides, window / 2, spec);
  if (!keys.status().ok()) return keys.status();
  if (window % 2 == 1) {
    spec.notes.push_back(
        "`sliding_window` is " + std::to_string(window) +
        ", an odd number: older versions of Transformers halved it whenever they saved a model");
  }
  return spec;
}

}  // namespace

extern const Family embedding_gemma = {.name = family,
                                       .model_type = family,
                                       .reads = nullptr,
                                       .read = read,
                                       .adapt_head = nullptr,
                                       .told_by_tensors = nullptr,
                                       .note = nullptr,
                                       .names = {"model.", base_names, {}}};

}  // namespace ropewalk::model
