// EmbeddingGemma (arXiv 2509.20354): the layers of Gemma 3 in both directions, most of them with a window.

#include "base/text.hpp"
#include "model/families/gemma_keys.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "gemma3_text";

Result<Spec> read(const json::Value& config) {
  Spec spec = gemma_spec();
  spec.vocabulary = 262208;
  spec.attention.causal = false;
  std::size_t window = 4096;
  Keys keys(config, family);
  read_gemma(keys, spec);
  keys.whole("sliding_window", 1, 1 << 24, window);
  for (const char* cap : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    if (const json::Value* value = keys.members().find(cap))
      keys.keep(keys.members().refuse(cap, *value, "null", true));
  }
  spec.attention.qk_norm = spec.norm;
  const std::vector<bool> slides = gemma3_windows(keys, spec.layers.size());
  check_base(keys, "rope_theta", full_attention);
  check_base(keys, "rope_local_base_freq", sliding_attention);
  // (w / 2) + 1 with an exclusive bound in the original.
  if (keys.status().ok()) read_ropes_by_type(keys, config, slides, window / 2, spec);
  if (!keys.status().ok()) return keys.status();
  if (window % 2 == 1) {
    spec.notes.push_back(
        "`sliding_window` is " + std::to_string(window) +
        ", an odd number: older versions of Transformers halved it whenever they saved a model");
  }
  return spec;
}

constexpr GgufKey gguf_keys[] = {{"attention.sliding_window", "sliding_window"},
                                 {"attention.sliding_window_pattern", "sliding_window_pattern"}};
constexpr GgufSwitch gguf_switches[] = {{"token_embd.weight", "use_bidirectional_attention"},
                                        {"blk.0.attn_q.bias", "attention_bias"}};

}  // namespace

extern const Family embedding_gemma = {.name = family,
                                       .model_type = family,
                                       .read = read,
                                       .names = {"model.", gemma_base_names, {}},
                                       .gguf = {.architecture = "gemma-embedding",
                                                .names = after_norm_gguf_names,
                                                .keys = gguf_keys,
                                                .switches = gguf_switches,
                                                .groups_keys = true,
                                                .adapt = adapt_gguf_gemma}};

}  // namespace ropewalk::model
