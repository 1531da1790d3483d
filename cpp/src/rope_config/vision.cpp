#include "rope_config/vision.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace ropewalk::rope_config {
namespace {

/// Each axis restarts the frequencies and has `channels` of the head.
ConfigReading axial(std::vector<std::size_t> channels, double base, Pairing pairing, std::string note) {
  ConfigReading reading;
  RopeOptions& options = reading.options;
  options.head_dim = std::accumulate(channels.begin(), channels.end(), std::size_t{0});
  options.pairing = pairing;
  options.frequencies = frequencies::Default{.base = base};
  for (std::size_t& each : channels) each /= 2;
  options.axes = Axes{.sections = std::move(channels), .restart_frequencies = true};
  reading.notes.push_back(std::move(note));
  return reading;
}

std::size_t head_of(const Keys& config) {
  if (const auto given = config.whole("head_dim")) return *given;
  const auto hidden = config.whole("hidden_size"), heads = config.whole("num_attention_heads");
  if (!hidden || !heads) config.missing(hidden ? "num_attention_heads" : "hidden_size", "the head dimension");
  return hidden && heads ? *hidden / *heads : 4;
}

std::size_t quarters_of(const Keys& config) {
  const std::size_t head = head_of(config);
  if (head < 4 || head % 4 != 0) {
    keep_first(config.status(), out_of_range(function, config.path() + "head_dim", head,
                                             "a multiple of 4, since rows and columns share the head"));
    return 4;
  }
  return head;
}

double base_of(const Keys& config, double otherwise) {
  const json::Value* parameters = config.find("rope_parameters");
  if (parameters != nullptr && parameters->kind == json::Kind::object) {
    const Keys inner(*parameters, config.path() + "rope_parameters.", config.status());
    if (const auto base = inner.real("rope_theta", 0, true)) return *base;
  }
  return config.real("rope_theta", 0, true).value_or(otherwise);
}

ConfigReading dinov3(const Keys& config) {
  const std::size_t head = quarters_of(config);
  return axial(
      {head / 2, head / 2}, base_of(config, 100), Pairing::half,
      "Positions are 2 pi times the coordinates of a patch's centre, from -1 to 1: rows, then columns.");
}

/// Rows use the even frequencies of one sequence, columns the odd ones.
ConfigReading pixtral(const Keys& config) {
  const std::size_t head = quarters_of(config);
  const double base = base_of(config, 10000);
  ConfigReading reading;
  frequencies::Custom rule;
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    for (std::size_t j = first; j < head / 2; j += 2) {
      rule.frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(j) / static_cast<double>(head)));
    }
  }
  reading.options = {.head_dim = head,
                     .pairing = Pairing::half,
                     .frequencies = std::move(rule),
                     .axes = Axes{.sections = {head / 4, head / 4}}};
  reading.notes.push_back(
      "Two axes, rows and columns of patches: even frequencies for rows, odd ones for columns.");
  return reading;
}

std::vector<std::size_t> channels_of(const Keys& config, std::string_view key,
                                     std::vector<std::size_t> otherwise) {
  const auto given = config.wholes(key);
  if (!given) return otherwise;
  for (const std::size_t each : *given) {
    if (each == 0 || each % 2 != 0 || each > 65536) {
      config.refuse(key, "even numbers of channels, one for each axis");
      return otherwise;
    }
  }
  if (given->empty()) config.refuse(key, "even numbers of channels, one for each axis");
  return given->empty() ? otherwise : *given;
}

/// Wan: a sixth of the pairs each for height and width, the rest for time.
ConfigReading wan(const Keys& config) {
  const std::size_t head = config.whole("attention_head_dim").value_or(128);
  const std::size_t side = 2 * (head / 6);
  if (head < 6 || head % 2 != 0) config.refuse("attention_head_dim", "an even number of at least 6");
  const std::size_t safe = head < 6 ? 2 : side;
  return axial({head < 6 ? 2 : head - 2 * safe, safe, safe}, 10000, Pairing::interleaved,
               "Three axes: frames, rows and columns.");
}

/// Transformers of images and video whose file lists the channels of each axis.
struct Listed {
  std::string_view class_name, key;
  std::vector<std::size_t> channels;
  double base;
  /// False where the class has the base itself and reads none.
  bool reads_base;
  std::string_view axes;
};

const Listed* find_listed(std::string_view class_name) {
  constexpr std::string_view ids = "Axes as in the model's image or video ids.";
  constexpr std::string_view frames = "Three axes: frames, rows and columns.";
  static const Listed all[] = {
      {"FluxTransformer2DModel", "axes_dims_rope", {16, 56, 56}, 10000, false, ids},
      {"Flux2Transformer2DModel", "axes_dims_rope", {32, 32, 32, 32}, 2000, true, ids},
      {"ZImageTransformer2DModel", "axes_dims", {32, 48, 48}, 256, true, ids},
      {"QwenImageTransformer2DModel",
       "axes_dims_rope",
       {16, 56, 56},
       10000,
       false,
       "Three axes: frames, rows and columns; rows and columns are counted from the centre of the image."},
      {"HunyuanVideoTransformer3DModel", "rope_axes_dim", {16, 56, 56}, 256, true, frames},
  };
  const auto* const found = std::ranges::find(all, class_name, &Listed::class_name);
  return found == std::end(all) ? nullptr : found;
}

}  // namespace

std::optional<ConfigReading> read_vision(const Keys& root, const ConfigOptions&) {
  if (const auto name = root.text("_class_name")) {
    if (*name == "WanTransformer3DModel") return wan(root);
    if (const Listed* const one = find_listed(*name)) {
      return axial(channels_of(root, one->key, one->channels),
                   one->reads_base ? base_of(root, one->base) : one->base, Pairing::interleaved,
                   std::string(one->axes));
    }
    root.refuse("_class_name",
                "a transformer of Flux, Flux 2, Z-Image, Qwen Image, HunyuanVideo or Wan; build the rope of "
                "another from `axes`");
    return ConfigReading{};
  }
  const auto type = root.text("model_type");
  if (!type) return std::nullopt;
  if (*type == "dinov3_vit") return dinov3(root);
  if (*type == "pixtral") return pixtral(root);
  return std::nullopt;
}

}  // namespace ropewalk::rope_config
