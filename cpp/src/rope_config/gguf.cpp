// GGUF metadata, as llama.cpp reads it. Values that llama.cpp keeps in tensors are members of the object,
// under the name of the tensor.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "formats/json/known_names.hpp"
#include "rope_config/gguf_reader.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::rope_config {
namespace {

constexpr std::string_view rope_keys[] = {"rope.freq_base",
                                          "rope.freq_base_swa",
                                          "rope.dimension_count",
                                          "rope.dimension_count_swa",
                                          "rope.dimension_sections",
                                          "rope.scale_linear",
                                          "rope.scaling.type",
                                          "rope.scaling.factor",
                                          "rope.scaling.alpha",
                                          "rope.scaling.attn_factor",
                                          "rope.scaling.original_context_length",
                                          "rope.scaling.finetuned",
                                          "rope.scaling.yarn_ext_factor",
                                          "rope.scaling.yarn_attn_factor",
                                          "rope.scaling.yarn_beta_fast",
                                          "rope.scaling.yarn_beta_slow",
                                          "rope.scaling.yarn_log_multiplier"};
constexpr std::string_view factor_tensors[] = {"rope_freqs.weight", "rope_factors_short.weight",
                                               "rope_factors_long.weight"};

}  // namespace

constinit const std::span<const std::string_view> gguf_rope_keys = rope_keys;

ConfigReading GgufReader::read() {
  ConfigReading reading;
  RopeOptions& options = reading.options;
  find_architecture();
  if (!status_.ok()) return reading;
  check_names();
  choose_layers();
  read_dimensions(options);
  if (!status_.ok()) return reading;
  const Pairing pairing = read_pairing_and_axes(options);
  options.pairing = options_.pairing.value_or(pairing);
  options.frequencies = read_frequencies(*options.rotary_dim);
  describe(reading);
  return reading;
}

void GgufReader::describe(ConfigReading& reading) const {
  const auto note = [&](std::string text) { reading.notes.push_back(std::move(text)); };
  const std::string_view name = architecture_->name;
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  // llama.cpp's deepseek2 graph: the scale of the softmax times the square of the attention scaling of YaRN.
  const auto* yarn = std::get_if<frequencies::Yarn>(&reading.options.frequencies);
  const bool latent = is({"deepseek2", "deepseek2-ocr", "deepseek32", "glm-dsa", "mistral4"});
  if (latent && yarn != nullptr && yarn->mscale_all_dim.value_or(0) != 0 && yarn->factor > 1) {
    const double once = 0.1 * *yarn->mscale_all_dim * std::log(yarn->factor) + 1;
    reading.softmax_scale = once * once;
    note("Attention multiplies the scale of its softmax by " + text_of(once * once) + ".");
  }
  if (is({"smollm3", "llama4"})) {
    const std::size_t count = whole("block_count").value_or(0);
    for (std::size_t layer = 3; layer < count; layer += 4) reading.layers_without_rotation.push_back(layer);
    note("Every fourth layer does not rotate.");
  }
  if (is({"cohere2", "cohere2moe", "exaone4", "exaone-moe"})) {
    note("Layers with full attention do not rotate, where the model has layers with a window.");
  }
  if (name == "dflash")
    note("Half pairing is that of drafters other than DeepSeek V4's, which rotate interleaved pairs.");
  if (sliding_ && architecture_->sliding != Sliding::by_keys)
    note("Scale" + std::string(keys_.has(key("rope.freq_base_swa")) ? "" : " and base") +
         " of these layers are those of the architecture.");
  if (!keys_.has(key("rope.freq_base")))
    note("No `" + key("rope.freq_base") + "`: the base 10000 is assumed.");
}

std::string GgufReader::key(std::string_view name) const {
  return std::string(architecture_->name) + "." + std::string(name);
}

std::optional<double> GgufReader::real(std::string_view name, double low, bool open) const {
  return keys_.real(key(name), low, open);
}

void GgufReader::find_architecture() {
  const auto name = keys_.text("general.architecture");
  if (!name) {
    keys_.missing("general.architecture", "GGUF metadata");
    return;
  }
  const auto rotating = architectures_that_rotate();
  const auto still = architectures_that_do_not_rotate();
  const auto found = std::find_if(rotating.begin(), rotating.end(),
                                  [&](const Architecture& each) { return each.name == *name; });
  if (found != rotating.end()) {
    architecture_ = &*found;
    // Graphs that rotate or do not: Granite's by this key, Baichuan's by the layers of the 13B models, which have ALiBi.
    const std::string finetuned = key("rope.scaling.finetuned");
    if (name->starts_with("granite") && keys_.boolean(finetuned) == false)
      keys_.refuse(finetuned, "true, since nothing rotates without");
    if (*name == "baichuan" && whole("block_count") == 40)
      refuse("block_count", "another number than 40, with which Baichuan does not rotate");
  } else if (std::find(still.begin(), still.end(), *name) != still.end()) {
    keys_.refuse("general.architecture", "an architecture whose positions are rotary");
  } else {
    std::vector<std::string_view> names;
    for (const Architecture& each : rotating) names.push_back(each.name);
    const std::string_view nearest = json::nearest(*name, names);
    keys_.refuse(
        "general.architecture",
        nearest.empty()
            ? "one of the " + text_of(names.size()) + " architectures of llama.cpp that rotate"
            : "an architecture of llama.cpp that rotates; did you mean " + json::quoted(nearest) + "?");
  }
}

void GgufReader::check_names() const {
  const std::string prefix = key("rope.");
  std::vector<std::string> full;
  for (const std::string_view each : rope_keys) full.push_back(key(each));
  std::vector<std::string_view> known(full.begin(), full.end());
  known.insert(known.end(), std::begin(factor_tensors), std::end(factor_tensors));
  for (const json::Member& member : keys_.object().members) {
    const std::string_view name = member.name;
    if (!(name.starts_with(prefix) || name.starts_with("rope")) ||
        std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    std::string message(function);
    message.append(": unknown key `").append(name.substr(0, 80)).append("`");
    const std::string_view nearest = json::nearest(name, known);
    if (!nearest.empty()) message.append("; did you mean `").append(nearest).append("`?");
    return keep_first(status_, Status::type(std::move(message)));
  }
}

void GgufReader::choose_layers() {
  if (!sliding_layers_differ()) {
    if (options_.layer_type) {
      keep_first(status_, out_of_range(function, "layer_type", json::quoted(*options_.layer_type),
                                       "none, since all layers have one rule"));
    }
    return;
  }
  sliding_ = options_.layer_type == "sliding_attention";
  if (sliding_ || options_.layer_type == "full_attention") return;
  const std::string allowed = "\"full_attention\" or \"sliding_attention\"";
  keep_first(status_,
             options_.layer_type
                 ? out_of_range(function, "layer_type", json::quoted(*options_.layer_type), allowed)
                 : Status::type(std::string(function) +
                                ": `layer_type` is missing, and sliding layers rotate otherwise, by keys "
                                "(`..._swa`) or by architecture; allowed: " +
                                allowed));
}

bool GgufReader::sliding_layers_differ() const {
  const Sliding sliding = architecture_->sliding;
  // Without a window no layer slides; Gemma's have one whatever the keys.
  if (sliding == Sliding::plain_of_10000 ||
      (sliding == Sliding::plain && keys_.has(key("attention.sliding_window"))))
    return true;
  const auto names = {"rope.freq_base_swa", "rope.dimension_count_swa", "attention.key_length_swa"};
  return std::ranges::any_of(names, [&](std::string_view each) { return keys_.has(key(each)); });
}

std::optional<std::size_t> GgufReader::whole_of_layers(std::string_view name) const {
  if (sliding_) {
    if (const auto own = whole(std::string(name) + "_swa")) return own;
  }
  return whole(name);
}

void GgufReader::read_dimensions(RopeOptions& options) const {
  const auto rotary = whole_of_layers("rope.dimension_count");
  if (rotary && *rotary % 2 != 0) {
    keys_.refuse(key("rope.dimension_count"), text_of(*rotary), "an even number");
  }
  // Latent attention: the part that rotates is a separate head.
  if (keys_.has(key("attention.kv_lora_rank"))) {
    if (!rotary) keys_.missing(key("rope.dimension_count"), "latent attention");
    options.head_dim = rotary.value_or(2);
    options.rotary_dim = options.head_dim;
    return;
  }
  options.head_dim = head_dim();
  options.rotary_dim = rotary.value_or(options.head_dim);
  if (!status_.ok()) return;
  if (*options.rotary_dim > options.head_dim) {
    keys_.refuse(key("rope.dimension_count"), text_of(*options.rotary_dim),
                 "an even number from 2 to the head dimension " + text_of(options.head_dim));
  } else if (*options.rotary_dim % 2 != 0) {
    keys_.refuse(key("attention.key_length"), text_of(options.head_dim),
                 "an even number, or `rope.dimension_count`");
  }
}

std::size_t GgufReader::head_dim() const {
  if (const auto length = whole_of_layers("attention.key_length")) return *length;
  const auto width = whole("embedding_length"), heads = whole("attention.head_count");
  if (!width || !heads) {
    keys_.missing(key(!width && !heads ? "attention.key_length"
                      : width          ? "attention.head_count"
                                       : "embedding_length"),
                  "the head dimension");
    return 2;
  }
  if (*width % *heads != 0) {
    refuse("embedding_length", "a multiple of `" + key("attention.head_count") + "` = " + text_of(*heads));
    return 2;
  }
  return *width / *heads;
}

Pairing GgufReader::read_pairing_and_axes(RopeOptions& options) const {
  const std::string name = key("rope.dimension_sections");
  auto sections = keys_.wholes(name);
  const bool several = architecture_->sections != Sections::none;
  if (!sections) {
    if (several && architecture_->sections != Sections::if_given) {
      keys_.missing(name, "the architecture " + json::quoted(architecture_->name));
    }
    return architecture_->pairing;
  }
  if (!several) {
    keys_.refuse(
        name, "nothing with the architecture " + json::quoted(architecture_->name) + ", which has one axis");
    return architecture_->pairing;
  }
  while (!sections->empty() && sections->back() == 0) sections->pop_back();  // four are stored, three used
  std::uint64_t sum = 0;
  for (const std::size_t section : *sections) sum += section;
  const std::size_t pairs = *options.rotary_dim / 2;
  if (sections->empty() && architecture_->sections == Sections::if_given) return architecture_->pairing;
  if (sum != pairs) {
    keys_.refuse(name, "sections of " + text_of(static_cast<double>(sum)) + " pairs",
                 "whole numbers with the sum rope.dimension_count/2 = " + text_of(pairs));
  }
  const bool interleaved = architecture_->sections == Sections::interleaved;
  options.axes =
      Axes{.sections = *sections, .order = interleaved ? Axes::Order::interleaved : Axes::Order::chunked};
  return Pairing::half;
}

bool sliding_layers_differ(const json::Value& metadata) {
  Status status;
  const ConfigOptions none;
  return GgufReader(metadata, none, status).has_sliding_layers();
}

Result<ConfigReading> reading_of_gguf(const json::Value& metadata, const ConfigOptions& options) {
  Status status;
  ConfigReading read = GgufReader(metadata, options, status).read();
  if (!status.ok()) return status;
  return read;
}

}  // namespace ropewalk::rope_config
