#include "rope_config/beside.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace ropewalk::rope_config {
namespace {

constexpr std::string_view full = "full_attention";

struct Model {
  const Keys& config;
  std::string_view name;
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Models whose full-attention layers do not rotate, while the windowed layers between them do.
bool rotates_windows_alone(const Model& model) {
  if (is_one_of(model.name, {"cohere2", "cohere2_moe"})) return true;
  return is_one_of(model.name, {"exaone4", "exaone_moe"}) && model.config.has("sliding_window");
}

/// `layer_types`, or the pattern in its place: every n-th layer is full.
std::vector<std::size_t> full_layers(const Keys& config) {
  std::vector<std::size_t> layers;
  if (const json::Value* types = config.find("layer_types"); types && types->kind == json::Kind::array) {
    for (std::size_t i = 0; i < types->items.size(); ++i) {
      if (types->items[i].kind == json::Kind::text && types->items[i].text == full) layers.push_back(i);
    }
    return layers;
  }
  const json::Value* written = config.find("sliding_window_pattern");
  const bool number = written != nullptr && written->kind == json::Kind::whole;
  const std::size_t pattern = number ? config.whole("sliding_window_pattern").value_or(4) : 4;
  const std::size_t count = config.whole("num_hidden_layers").value_or(0);
  for (std::size_t i = pattern; i <= count; i += pattern) layers.push_back(i - 1);
  return layers;
}

/// Llama 4 and SmolLM3: a flag for each layer, 0 where it does not rotate, or every n-th.
std::vector<std::size_t> flagged_layers(const Model& model) {
  std::vector<std::size_t> layers;
  const Keys& config = model.config;
  const auto flags = config.wholes("no_rope_layers");
  if (flags && !flags->empty()) {
    for (std::size_t i = 0; i < flags->size(); ++i) {
      if ((*flags)[i] == 0) layers.push_back(i);
    }
    return layers;
  }
  if (!is_one_of(model.name, {"llama4_text", "llama4", "smollm3"})) return layers;
  const std::size_t interval = config.whole("no_rope_layer_interval").value_or(4);
  const std::size_t count = config.whole("num_hidden_layers").value_or(0);
  for (std::size_t i = interval; i <= count; i += interval) layers.push_back(i - 1);
  return layers;
}

void find_still_layers(const Model& model, const ConfigOptions& options, ConfigReading& reading) {
  if (rotates_windows_alone(model)) {
    reading.layers_without_rotation = full_layers(model.config);
    if (options.layer_type == full) {
      keep_first(model.config.status(), out_of_range(function, "layer_type", json::quoted(full),
                                                     "\"sliding_attention\": in " + std::string(model.name) +
                                                         " the layers with full attention do not rotate"));
    }
  } else {
    reading.layers_without_rotation = flagged_layers(model);
  }
  const std::size_t count = reading.layers_without_rotation.size();
  if (count == 0) return;
  std::string text = sentence({count, count == 1 ? " layer does" : " layers do", " not rotate:"});
  for (const std::size_t layer : reading.layers_without_rotation) text += " " + std::to_string(layer);
  reading.notes.push_back(text + ".");
}

/// DeepSeek's latent attention multiplies the scale of its softmax by the square of 0.1 mscale_all_dim ln(factor) + 1.
void find_softmax_scale(const Model& model, ConfigReading& reading) {
  const auto* yarn = std::get_if<frequencies::Yarn>(&reading.options.frequencies);
  if (yarn == nullptr || !model.config.has("qk_rope_head_dim")) return;
  if (yarn->mscale_all_dim.value_or(0) == 0 || yarn->factor <= 1) return;
  const double once = 0.1 * *yarn->mscale_all_dim * std::log(yarn->factor) + 1;
  reading.softmax_scale = once * once;
  reading.notes.push_back("Attention multiplies the scale of its softmax by " +
                          text_of(reading.softmax_scale) + " = (0.1 mscale_all_dim ln(factor) + 1)^2.");
}

void find_query_scale(const Keys& rule, ConfigReading& reading) {
  const auto beta = rule.real("llama_4_scaling_beta", 0);
  if (!beta || *beta == 0) return;
  const double period = rule.needed("original_max_position_embeddings", 1, false, "`llama_4_scaling_beta`");
  reading.query_scale = QueryScale{.beta = *beta, .period = period};
  reading.notes.push_back("Queries at position m are multiplied by 1 + " + text_of(*beta) +
                          " ln(1 + floor(m / " + text_of(period) + ")) after the rotation.");
}

void note_assumptions(const Model& model, const Keys& root, const Keys& rule, ConfigReading& reading) {
  const Keys& config = model.config;
  const auto note = [&](std::string text) { reading.notes.push_back(std::move(text)); };
  if (!config.has("model_type") && !root.has("model_type")) {
    note("No `model_type`: half pairing is assumed, as in Llama.");
  }
  const auto has_base = [&](std::string_view key) { return config.has(key); };
  const std::string_view keys[] = {"rope_theta",           "rotary_emb_base",  "global_rope_theta",
                                   "rope_local_base_freq", "local_rope_theta", "compress_rope_theta"};
  if (!rule.has("rope_theta") && std::none_of(std::begin(keys), std::end(keys), has_base)) {
    note("No `rope_theta`: the base 10000 is assumed; the class of the model may have another default.");
  }
  if (root.has("vision_config")) {
    note(
        "`vision_config` is not part of this reading, which is that of the text model: give it alone to read "
        "it.");
  }
  if (model.name == "deepseek_v32") {
    note("The indexer beside the attention rotates half pairs, the attention itself interleaved ones.");
  }
  if (config.has("dual_chunk_attention_config")) {
    note("`dual_chunk_attention_config` is not applied: these are the angles of ordinary attention.");
  }
  const json::Value* tuning = config.find("attn_temperature_tuning");
  const bool tuned = tuning != nullptr && !(tuning->kind == json::Kind::boolean && !tuning->boolean) &&
                     !(tuning->kind == json::Kind::whole && tuning->real == 0);
  if (tuned) {
    note(
        "`attn_temperature_tuning`: queries of the layers without rotation are multiplied by 1 + attn_scale "
        "ln(1 + floor((m + 1) / floor_scale)).");
  }
}

}  // namespace

void describe_model(const Keys& config, const Keys& root, const Keys& rule, const ConfigOptions& options,
                    ConfigReading& reading) {
  const auto inner = config.text("model_type"), outer = root.text("model_type");
  const Model model{config, inner ? *inner : outer.value_or("")};
  find_softmax_scale(model, reading);
  find_query_scale(rule, reading);
  find_still_layers(model, options, reading);
  note_assumptions(model, root, rule, reading);
  if (std::holds_alternative<frequencies::NtkSu>(reading.options.frequencies) ||
      std::holds_alternative<frequencies::NtkMixed>(reading.options.frequencies)) {
    reading.notes.push_back("The rule \"ntk\" is read as GTE's own, since `model_type` is " +
                            json::quoted(model.name) + ". Elsewhere the name stands for another rule.");
  }
}

}  // namespace ropewalk::rope_config
