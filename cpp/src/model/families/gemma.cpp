// Gemma 2 (arXiv 2408.00118) and the text models of Gemma 3 (arXiv 2503.19786): norms on both sides of each
// branch, word vectors that are scaled, layers with windows between layers without.

#include <cmath>

#include "base/text.hpp"
#include "model/families/gemma_keys.hpp"

namespace ropewalk::model {
namespace {

/// A cap that a null switches off.
double read_cap(Keys& keys, const json::Value& config, std::string_view name, double usual) {
  // A null is no cap; a missing key is the usual one.
  if (config.find(name) != nullptr) usual = 0;
  keys.positive(name, 1e30, "a number above 0, or null", usual);
  return usual;
}

Result<Spec> read_gemma2(const json::Value& config) {
  Spec spec = gemma_spec();
  std::size_t window = 4096;
  Keys keys(config, "gemma2");
  read_gemma(keys, spec);
  spec.embedding.rounds_scale = true;
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
  spec.embedding.rounds_scale = true;
  keys.whole("sliding_window", 1, 1 << 24, window);
  spec.attention.qk_norm = spec.norm;
  spec.heads = {causal_head(spec.tied, read_cap(keys, config, "final_logit_softcapping", 0))};
  const std::vector<bool> slides = gemma3_windows(keys, spec.layers.size());
  if (keys.status().ok()) read_ropes_by_type(keys, config, slides, window, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

std::string note(const Spec& spec) {
  return "word vectors are multiplied by " + text_of(spec.embedding.scale) + ", the root of the hidden size" +
         (spec.embedding.rounds_scale ? " in the type of the stored vectors" : ", which is not rounded");
}

constexpr GgufKey gemma2_keys[] = {{"attention.sliding_window", "sliding_window"},
                                   {"attn_logit_softcapping", "attn_logit_softcapping"},
                                   {"final_logit_softcapping", "final_logit_softcapping"}};
constexpr GgufKey gemma3_keys[] = {{"attention.sliding_window", "sliding_window"},
                                   {"attention.sliding_window_pattern", "sliding_window_pattern"},
                                   {"final_logit_softcapping", "final_logit_softcapping"}};
constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_q.bias", "attention_bias"}};

/// The scores of the model of 27 billion parameters, the only one of so many layers, have another factor.
void adapt(Spec& spec, std::size_t layers_of_27b) {
  adapt_gguf_gemma(spec);
  if (spec.layers.size() == layers_of_27b)
    spec.attention.scale = 1 / std::sqrt(static_cast<double>(spec.hidden / spec.attention.heads));
}
void adapt_gemma2(Spec& spec) { adapt(spec, 46); }
void adapt_gemma3(Spec& spec) { adapt(spec, 62); }

}  // namespace

extern const Family gemma2 = {.name = "gemma2",
                              .model_type = "gemma2",
                              .read = read_gemma2,
                              .note = note,
                              .names = {"model.", gemma_base_names, llama_head_names},
                              .gguf = {.architecture = "gemma2",
                                       .names = after_norm_gguf_names,
                                       .keys = gemma2_keys,
                                       .switches = gguf_switches,
                                       .adapt = adapt_gemma2}};

extern const Family gemma3 = {.name = "gemma3",
                              .model_type = "gemma3_text",
                              .reads = reads_gemma3,
                              .read = read_gemma3,
                              .note = note,
                              .names = {"model.", gemma_base_names, llama_head_names},
                              .gguf = {.architecture = "gemma3",
                                       .names = after_norm_gguf_names,
                                       .keys = gemma3_keys,
                                       .switches = gguf_switches,
                                       .adapt = adapt_gemma3}};

}  // namespace ropewalk::model
