// The text models of Gemma 4 (Google 2026): values are normed, layers without a window have heads of another dimension, and
// perhaps no matrix of values; the last layers may attend to keys and values of earlier ones, and every layer may read an
// input of its own.

#include <cmath>

#include "base/text.hpp"
#include "model/families/gemma_keys.hpp"

namespace ropewalk::model {
namespace {

/// Heads of layers without a window, by keys for all of them or by `per_layer_config`, which may be about any layer.
void read_heads(Keys& keys, const std::vector<bool>& slides, bool values_are_keys, Spec& spec) {
  const json::Value* const apart = keys.members().find("per_layer_config");
  std::size_t head_dim = 512, key_heads = spec.attention.key_heads;
  keys.whole("global_head_dim", 1, 1 << 16, head_dim);
  keys.whole("num_global_key_value_heads", 1, 1 << 16, key_heads);
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    LayerSpec& layer = spec.layers[l];
    layer.values_are_keys = values_are_keys && !slides[l];
    if (apart == nullptr && !slides[l]) {
      layer.head_dim = head_dim;
      if (values_are_keys) layer.key_heads = key_heads;
    }
  }
  if (apart == nullptr) return;
  constexpr std::string_view allowed =
      "an object from numbers of layers to `head_dim` and `num_key_value_heads`";
  if (apart->kind != json::Kind::object)
    return keys.keep(keys.members().refuse("per_layer_config", *apart, allowed, false));
  for (const json::Member& member : apart->members) {
    std::size_t l = 0;
    while (l < spec.layers.size() && !member.is_number(l)) ++l;
    if (l == spec.layers.size() || member.value.kind != json::Kind::object)
      return keys.keep(keys.members().refuse("per_layer_config", *apart, allowed, false));
    Keys own(member.value, std::string(keys.family()) + ": per_layer_config." + member.name);
    own.whole("head_dim", 1, 1 << 16, spec.layers[l].head_dim);
    own.whole("num_key_value_heads", 1, 1 << 16, spec.layers[l].key_heads);
    keys.keep(own.status());
    for (const json::Member& each : member.value.members) {
      if (!each.found) {
        return keys.keep(unsupported(keys.family(), "per_layer_config." + member.name + "." + each.name,
                                     json::quoted(each.value), "`head_dim` and `num_key_value_heads` alone"));
      }
    }
  }
}

/// The last layers attend to the keys and values of the last layer of their type that has its own.
void read_sharing(Keys& keys, const std::vector<bool>& slides, Spec& spec) {
  std::size_t sharing = 0;
  bool wide = false;
  keys.whole("num_kv_shared_layers", 0, spec.layers.size() - 1, sharing);
  keys.flag("use_double_wide_mlp", wide);
  const std::size_t first = spec.layers.size() - sharing;
  for (std::size_t l = first; l < spec.layers.size(); ++l) {
    std::size_t source = first;
    while (source > 0 && slides[source - 1] != slides[l]) --source;
    if (source == 0) {
      return keys.keep(out_of_range(
          keys.family(), "num_kv_shared_layers", sharing,
          "few enough that each type of layers is among those before them, which have keys of their own"));
    }
    spec.layers[l].keys_of = source - 1;
    spec.layers[l].values_are_keys = false;
    if (wide) spec.layers[l].width = 2 * spec.feed_forward.width;
  }
}

void read_inputs(Keys& keys, Spec& spec) {
  LayerInputSpec& inputs = spec.layer_inputs;
  inputs = {.width = 256, .vocabulary = 262144};
  keys.whole("hidden_size_per_layer_input", 0, 1 << 12, inputs.width);
  keys.whole("vocab_size_per_layer_input", 1, 1 << 24, inputs.vocabulary);
  inputs.scale = std::sqrt(static_cast<double>(inputs.width));
  if (inputs.width != 0 && inputs.vocabulary < spec.vocabulary) {
    keys.keep(out_of_range(keys.family(), "vocab_size_per_layer_input", inputs.vocabulary,
                           "at least `vocab_size`, " + std::to_string(spec.vocabulary)));
  }
}

Result<Spec> read(const json::Value& config) {
  Spec spec = gemma_spec();
  spec.vocabulary = 262144;
  spec.norm.kind = NormKind::rms;
  spec.layers.assign(30, {});
  std::size_t window = 512;
  bool values_are_keys = false;
  std::string both_ways;
  Keys keys(config, "gemma4");
  read_llama_layers(keys, spec, true);
  keys.activation("hidden_activation", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.must_be_false("enable_moe_block");
  keys.text("use_bidirectional_attention", both_ways);
  // "vision" is about the tokens of images.
  if (!both_ways.empty() && both_ways != "vision")
    keys.keep(unsupported(keys.family(), "use_bidirectional_attention",
                          json::quoted(std::string_view(both_ways)), "\"vision\" or null"));
  keys.whole("sliding_window", 1, 1 << 24, window);
  keys.flag("attention_k_eq_v", values_are_keys);
  spec.attention.scale = 1;
  spec.attention.qk_norm = spec.norm;
  spec.attention.value_norm = true;
  spec.layer_factors = true;
  spec.embedding.scale = std::sqrt(static_cast<double>(spec.hidden));
  spec.embedding.rounds_scale = true;
  double cap = 0;
  keys.positive("final_logit_softcapping", 1e30, "a number above 0, or null", cap);
  spec.heads = {causal_head(spec.tied, cap)};
  std::vector<bool> slides = read_layer_types(keys, every_nth_full(spec.layers.size(), 6));
  // The class has no other last layer, whatever the file says.
  slides.back() = false;
  if (keys.status().ok()) read_ropes_by_type(keys, config, slides, window, spec);
  if (keys.status().ok()) read_heads(keys, slides, values_are_keys, spec);
  if (keys.status().ok()) read_sharing(keys, slides, spec);
  if (keys.status().ok()) read_inputs(keys, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

Result<Spec> read_nested(const json::Value& config) {
  ROPEWALK_LET(text, text_part(config, "gemma4"));
  Result<Spec> spec = read(*text);
  if (spec.ok()) spec.value().notes.emplace_back(text_part_note);
  return spec;
}

}  // namespace

extern const Family gemma4 = {.name = "gemma4",
                              .model_type = "gemma4",
                              .read = read_nested,
                              .names = {"model.language_model.", gemma_base_names, llama_head_names},
                              .trainable = false};

extern const Family gemma4_text = {.name = "gemma4_text",
                                   .model_type = "gemma4_text",
                                   .read = read,
                                   .names = {"model.", gemma_base_names, llama_head_names},
                                   .trainable = false};

}  // namespace ropewalk::model
