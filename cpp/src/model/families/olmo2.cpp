// OLMo 2 (arXiv 2501.00656): norms behind each branch, norms of queries and keys over all heads together. OLMo 3
// (arXiv 2512.13961) has windows in three of four layers besides. These rotate by the base alone; the rule of config.json
// concerns the layers without a window.

#include "base/text.hpp"
#include "model/families/gemma_keys.hpp"

namespace ropewalk::model {
namespace {

Spec read_layers(Keys& keys) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 50304;
  spec.norm.eps = 1e-5;
  spec.placement = NormPlacement::after;
  spec.attention.qk_norm_of_all_heads = true;
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  spec.attention.qk_norm = spec.norm;
  return spec;
}

Result<Spec> read_olmo2(const json::Value& config) {
  Keys keys(config, "olmo2");
  Spec spec = read_layers(keys);
  return with_one_rope(keys, config, spec);
}

/// A dictionary that has a base beside a rule for each type of layers: Transformers 5.23 does not read it, but layers with a
/// window were trained with the plain base of the model, which is this one.
void read_plain_base(Keys& keys, Spec& spec) {
  const json::Value* const dictionary = keys.members().find("rope_parameters");
  if (!keys.status().ok() || dictionary == nullptr || dictionary->find(sliding_attention) == nullptr) return;
  const json::Value* const base = dictionary->find("rope_theta");
  if (base == nullptr) return;
  double plain = 10000;
  keys.keep(json::Members(*dictionary, "olmo3: `rope_parameters`")
                .real("rope_theta", 0, false, 1e30, "a number above 0", plain));
  for (const LayerSpec& layer : spec.layers) {
    if (layer.window)
      std::get<positions::Rope>(spec.positions).ropes[*layer.rope].frequencies =
          frequencies::Default{.base = plain};
  }
  spec.notes.push_back("layers with a window rotate by the base " + text_of(plain) +
                       ", which `rope_parameters` has beside the rules of types of layers");
}

Result<Spec> read_olmo3(const json::Value& config) {
  std::size_t window = 4096;
  Keys keys(config, "olmo3");
  Spec spec = read_layers(keys);
  keys.whole("sliding_window", 1, 1 << 24, window);
  const std::vector<bool> slides = read_layer_types(keys, every_nth_full(spec.layers.size(), 4));
  if (keys.status().ok()) read_ropes_by_type(keys, config, slides, window, spec);
  read_plain_base(keys, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

constexpr GgufKey olmo3_keys[] = {{"attention.sliding_window", "sliding_window"}};

}  // namespace

extern const Family olmo2 = {
    .name = "olmo2",
    .model_type = "olmo2",
    .read = read_olmo2,
    .names = {"model.", gemma_base_names, llama_head_names},
    .gguf = {.architecture = "olmo2", .names = after_norm_gguf_names, .switches = llama_gguf_switches}};

extern const Family olmo3 = {.name = "olmo3",
                             .model_type = "olmo3",
                             .read = read_olmo3,
                             .names = {"model.", gemma_base_names, llama_head_names},
                             .gguf = {.architecture = "olmo2",
                                      .key = "attention.sliding_window",
                                      .names = after_norm_gguf_names,
                                      .keys = olmo3_keys,
                                      .switches = llama_gguf_switches}};

}  // namespace ropewalk::model
