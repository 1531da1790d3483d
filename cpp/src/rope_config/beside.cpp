#include "rope_config/beside.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace ropewalk::rope_config {
namespace {

constexpr std::string_view full = "full_attention";

/// True for models whose full-attention layers do not rotate, while the windowed layers between them do.
bool rotates_windows_alone(const Source& source) {
  const std::string_view when = source.facts.text("stillFull");
  return when == "always" || (when == "windowed" && source.config.has("sliding_window"));
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
std::vector<std::size_t> flagged_layers(const Source& source) {
  std::vector<std::size_t> layers;
  const Keys& config = source.config;
  const auto flags = config.wholes("no_rope_layers");
  if (flags && !flags->empty()) {
    for (std::size_t i = 0; i < flags->size(); ++i) {
      if ((*flags)[i] == 0) layers.push_back(i);
    }
    return layers;
  }
  const auto usual = source.facts.number("stillEvery");
  if (!usual) return layers;
  const std::size_t interval =
      config.whole("no_rope_layer_interval").value_or(static_cast<std::size_t>(*usual));
  const std::size_t count = config.whole("num_hidden_layers").value_or(0);
  for (std::size_t i = interval; i <= count; i += interval) layers.push_back(i - 1);
  return layers;
}

void find_still_layers(const Source& source, ConfigReading& reading) {
  if (rotates_windows_alone(source)) {
    reading.layers_without_rotation = full_layers(source.config);
    if (source.options.layer_type == full) {
      keep_first(source.config.status(),
                 out_of_range(function, "layer_type", json::quoted(full),
                              "\"sliding_attention\": in " + std::string(source.facts.text("type")) +
                                  " the layers with full attention do not rotate"));
    }
  } else {
    reading.layers_without_rotation = flagged_layers(source);
  }
  const std::size_t count = reading.layers_without_rotation.size();
  if (count == 0) return;
  std::string text = sentence({count, count == 1 ? " layer does" : " layers do", " not rotate:"});
  for (const std::size_t layer : reading.layers_without_rotation) text += " " + std::to_string(layer);
  reading.notes.push_back(text + ".");
}

/// DeepSeek's latent attention multiplies the scale of its softmax by the square of 0.1 mscale_all_dim ln(factor) + 1.
void find_softmax_scale(const Source& source, ConfigReading& reading) {
  const auto* yarn = std::get_if<frequencies::Yarn>(&reading.options.frequencies);
  const bool latent =
      source.facts.is_class() ? source.facts.has("latent") : source.config.has("qk_rope_head_dim");
  if (yarn == nullptr || !latent) return;
  if (yarn->mscale_all_dim.value_or(0) == 0 || yarn->factor <= 1) return;
  const double once = 0.1 * *yarn->mscale_all_dim * std::log(yarn->factor) + 1;
  reading.softmax_scale = once * once;
  reading.notes.push_back("Attention multiplies the scale of its softmax by " +
                          text_of(reading.softmax_scale) + " = (0.1 mscale_all_dim ln(factor) + 1)^2.");
}

void note_query_scale(ConfigReading& reading) {
  const std::optional<QueryScale>& scale = reading.options.query_scale;
  if (!scale) return;
  reading.notes.push_back("Queries at position m are multiplied by 1 + " + text_of(scale->scale) +
                          " ln(1 + floor(m / " + text_of(scale->length) + ")) after the rotation.");
}

double base_of(const Frequencies& rule) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.base; }) return each.base;
        return 10000.0;  // not of a configuration
      },
      rule);
}

void note_assumptions(const Source& source, const Keys& root, ConfigReading& reading) {
  const auto& [config, rule, facts, layers, type, options] = source;
  const auto note = [&](std::string text) { reading.notes.push_back(std::move(text)); };
  if (!config.has("model_type") && !root.has("model_type")) {
    note("No `model_type`: half pairing is assumed, as in Llama.");
  }
  if (layers.assumed)
    note("No `rope_parameters`: those of the class are assumed, with the rule " + json::quoted(type) + ".");
  if (layers.has_more)
    note("Members beside the rules of types of layers are not read: `" +
         layers.path.substr(0, layers.path.find('.')) + "`.");
  const auto has_base = [&config = config](std::string_view key) { return config.has(key); };
  const std::string_view keys[] = {"rope_theta",           "rotary_emb_base",  "global_rope_theta",
                                   "rope_local_base_freq", "local_rope_theta", "compress_rope_theta"};
  if (!rule.has("rope_theta") && std::none_of(std::begin(keys), std::end(keys), has_base)) {
    const double base = base_of(reading.options.frequencies);
    note(
        "No `rope_theta`: the base " + text_of(base) + " is assumed" +
        (facts.is_class() ? ", as the class has it." : "; the class of the model may have another default."));
  }
  if (root.has("vision_config")) {
    note(
        "`vision_config` is not part of this reading, which is that of the text model: give it alone to read "
        "it.");
  }
  if (facts.has("indexer"))
    note(
        "The indexer beside the attention rotates too, may pair otherwise, and is not part of this reading.");
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

void describe_model(const Source& source, const Dimensions& dimensions, const Keys& root,
                    ConfigReading& reading) {
  for (const auto& [key, value] : dimensions.assumed)
    reading.notes.push_back("No `" + key + "`: " + text_of(value) + " is assumed, as the class has it.");
  find_softmax_scale(source, reading);
  note_query_scale(reading);
  find_still_layers(source, reading);
  note_assumptions(source, root, reading);
  if (std::holds_alternative<frequencies::NtkSu>(reading.options.frequencies) ||
      std::holds_alternative<frequencies::NtkMixed>(reading.options.frequencies)) {
    reading.notes.push_back("The rule \"ntk\" is read as GTE's own, since `model_type` is " +
                            json::quoted(source.facts.text("type")) +
                            ". Elsewhere the name stands for another rule.");
  }
}

}  // namespace ropewalk::rope_config
