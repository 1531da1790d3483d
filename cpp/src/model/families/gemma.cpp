// Gemma 2 (arXiv 2408.00118) and the text models of Gemma 3 (arXiv 2503.19786): norms on both sides of each
// branch, word vectors that are scaled, layers with windows between layers without.

#include <cmath>

#include "base/text.hpp"
#include "model/families/decoder_keys.hpp"

namespace ropewalk::model {
namespace {

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

Spec gemma_spec() {
  Spec spec = llama_like_spec();
  spec.vocabulary = 256000;
  spec.hidden = 2304;
  spec.norm.kind = NormKind::rms_plus_one;
  spec.placement = NormPlacement::sandwich;
  spec.attention.heads = 8;
  spec.attention.key_heads = 4;
  spec.attention.head_dim = 256;
  spec.feed_forward.width = 9216;
  spec.feed_forward.activation = Activation::gelu_tanh;
  spec.layers.assign(26, {});
  spec.padding_id = 0;
  return spec;
}

/// A cap that a null switches off.
double read_cap(Keys& keys, const json::Value& config, std::string_view name, double usual) {
  // A null is no cap; a missing key is the usual one.
  if (config.find(name) != nullptr) usual = 0;
  keys.positive(name, 1e30, "a number above 0, or null", usual);
  return usual;
}

/// Reads the keys of both versions. Where a file has both names of the activation, the newer one counts.
void read_gemma(Keys& keys, Spec& spec) {
  bool bias = false;
  double scalar = 256;
  read_llama_like(keys, spec, true);
  if (keys.members().find("hidden_activation") != nullptr)
    keys.activation("hidden_activation", spec.feed_forward.activation);
  keys.flag("attention_bias", bias);
  keys.positive("query_pre_attn_scalar", 1e30, "a number above 0", scalar);
  spec.attention.bias = spec.attention.output_bias = bias;
  spec.attention.scale = 1 / std::sqrt(scalar);
  spec.embedding.scale = std::sqrt(static_cast<double>(spec.hidden));
  spec.embedding.rounds_scale = true;
}

Result<Spec> read_gemma2(const json::Value& config) {
  Spec spec = gemma_spec();
  std::size_t window = 4096;
  Keys keys(config, "gemma2");
  read_gemma(keys, spec);
  keys.whole("sliding_window", 1, 1 << 24, window);
  spec.attention.soft_cap = read_cap(keys, config, "attn_logit_softcapping", 50);
  spec.heads = {causal_head(spec.tied, read_cap(keys, config, "final_logit_softcapping", 30))};
  std::vector<bool> slides;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) slides.push_back(l % 2 == 0);
  set_windows(keys, spec, window, std::move(slides));
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

/// Says for each layer whether it has a window: by `layer_types`, or all but each sixth.
std::vector<bool> windows(Keys& keys, std::size_t layers) {
  std::size_t pattern = 6;
  keys.whole("_sliding_window_pattern", 1, 1 << 10, pattern);
  keys.whole("sliding_window_pattern", 1, 1 << 10, pattern);
  std::vector<bool> slides;
  for (std::size_t l = 0; l < layers; ++l) slides.push_back((l + 1) % pattern != 0);
  return read_layer_types(keys, std::move(slides));
}

/// EmbeddingGemma has this model_type as well, and is no decoder.
bool reads_gemma3(const json::Value& config) {
  const json::Value* both_ways = config.find("use_bidirectional_attention");
  return both_ways == nullptr || both_ways->kind != json::Kind::boolean || !both_ways->boolean;
}

Result<Spec> read_gemma3(const json::Value& config) {
  Spec spec = gemma_spec();
  spec.vocabulary = 262208;
  std::size_t window = 4096;
  Keys keys(config, "gemma3");
  read_gemma(keys, spec);
  keys.whole("sliding_window", 1, 1 << 24, window);
  spec.attention.qk_norm = spec.norm;
  spec.heads = {causal_head(spec.tied, read_cap(keys, config, "final_logit_softcapping", 0))};
  const json::Value whole = with_bases(
      config, {{"rope_theta", full_attention, 1e6}, {"rope_local_base_freq", sliding_attention, 1e4}});
  if (keys.status().ok()) read_ropes_by_type(keys, whole, windows(keys, spec.layers.size()), window, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

std::string note(const Spec& spec) {
  return "word vectors are multiplied by " + text_of(spec.embedding.scale) +
         ", the root of the hidden size in the type of the stored vectors";
}

}  // namespace

extern const Family gemma2 = {.name = "gemma2",
                              .model_type = "gemma2",
                              .reads = nullptr,
                              .read = read_gemma2,
                              .adapt_head = nullptr,
                              .told_by_tensors = nullptr,
                              .note = note,
                              .names = {"model.", base_names, llama_head_names}};

extern const Family gemma3 = {.name = "gemma3",
                              .model_type = "gemma3_text",
                              .reads = reads_gemma3,
                              .read = read_gemma3,
                              .adapt_head = nullptr,
                              .told_by_tensors = nullptr,
                              .note = note,
                              .names = {"model.", base_names, llama_head_names}};

}  // namespace ropewalk::model
