// Hugging Face's config.json, old and new. The steps are: the object of the text model, the dictionary for
// the layer type, and the keys of both that the rule needs.

#include <string>

#include "base/text.hpp"
#include "rope_config/beside.hpp"
#include "rope_config/dimensions.hpp"
#include "rope_config/layers.hpp"
#include "rope_config/names.hpp"
#include "rope_config/pairings.hpp"
#include "rope_config/read.hpp"
#include "rope_config/rules.hpp"
#include "rope_config/vision.hpp"

namespace ropewalk::rope_config {
namespace {

constexpr std::string_view top_level_keys[] = {
    "rope_theta", "rope_scaling", "rotary_scaling_factor", "rope_parameters", "partial_rotary_factor",
    "rotary_pct", "rope_pct", "rotary_emb_fraction", "rotary_dim", "rotary_emb_base", "rope_interleave",
    "rotary_emb_interleaved", "qk_rope_head_dim", "rope_local_base_freq", "local_rope_theta",
    "global_rope_theta", "head_dim", "global_head_dim", "max_position_embeddings",
    "original_max_position_embeddings", "hidden_size", "num_attention_heads", "compress_rope_theta",
    "use_rotary_pos_emb",
    // These keys do not say how a head rotates. They say whether anything rotates (GPT-J), whether values do
    // (RoFormer), which layers do not (Llama 4), and how many channels do not (DeepSeek; one letter from the
    // key for those that do).
    "rotary", "rotary_value", "no_rope_layers", "no_rope_layer_interval", "qk_nope_head_dim"};

/// A multimodal model keeps its text model in an object of its own. Rope keys outside it are ignored by
/// everyone, but saved configurations repeat them there.
const json::Value& text_model(const Keys& root) {
  const json::Value* text = root.find("text_config");
  if (text == nullptr) return root.object();
  if (text->kind != json::Kind::object) {
    keep_first(root.status(), wrong_type(function, "text_config", json::quoted(*text), "an object"));
    return root.object();
  }
  for (const json::Member& member : root.object().members) {
    if (member.value.kind == json::Kind::null || !speaks_of_rope(member.name)) continue;
    if (const json::Value* inside = text->find(member.name);
        inside != nullptr && equal(*inside, member.value))
      continue;
    keep_first(root.status(),
               Status::type(std::string(function) + ": `" + member.name +
                            "` stands beside `text_config`, which is read instead; allowed: `text_config." +
                            member.name + "`, or the same in both"));
  }
  return *text;
}

/// In the dictionary, or outside it under one of its names. Two different values are an error, except that
/// the dictionary of one layer type may differ from the value for all layers.
double read_base(const Keys& config, const Keys& rule, const LayerRule& layers) {
  if (layers.base) return *layers.base;
  auto base = rule.real("rope_theta", 0, true);
  if (base && layers.by_type) return *base;
  std::string name = rule.path() + "rope_theta";
  for (const std::string_view key : {"rope_theta", "rotary_emb_base", "global_rope_theta"}) {
    const auto beside = config.real(key, 0, true);
    if (!beside) continue;
    if (base && *base != *beside) config.refuse(key, "the same as `" + name + "` = " + text_of(*base));
    base = beside;
    name = config.path() + std::string(key);
  }
  return base.value_or(10000);
}

/// Only the name of a model determines how its weights pair the channels, so an unknown name is an error
/// unless the caller gives the pairing. Without any name the pairing is Llama's.
Pairing read_pairing(const Keys& config, const Keys& root, const ConfigOptions& options) {
  const auto inner = config.text("model_type"), outer = root.text("model_type");
  if (options.pairing) return *options.pairing;
  for (const std::string_view key : {"rope_interleave", "rotary_emb_interleaved"}) {
    if (const auto interleaved = config.boolean(key))
      return *interleaved ? Pairing::interleaved : Pairing::half;
  }
  const Keys& named = inner ? config : root;
  const auto name = inner ? inner : outer;
  if (!name) return Pairing::half;
  const auto pairing = pairing_of_model_type(*name);
  if (!pairing) {
    named.refuse(
        "model_type",
        "a model whose pairing is known, or any one together with the option `pairing` (\"half\" as in "
        "Llama, \"interleaved\" as in GPT-J)");
  }
  return pairing.value_or(Pairing::half);
}

using Describe = decltype(&describe_model);

/// `describe` adds what the configuration says apart from the rotation. Models know that themselves and leave
/// it out.
Result<ConfigReading> read_text_model(const json::Value& object, const ConfigOptions& options,
                                      Describe describe) {
  Status status;
  const Keys root(object, "", status);
  const json::Value& text = text_model(root);
  if (!status.ok()) return status;
  const Keys config(text, &text == &object ? "" : "text_config.", status);
  check_top_level(config, top_level_keys);
  for (const std::string_view key : {"rotary", "use_rotary_pos_emb"}) {
    if (config.boolean(key) == false) config.refuse(key, "true, since nothing rotates without");
  }
  if (!status.ok()) return status;

  const LayerRule layers = rule_of_layers(config, options);
  if (!status.ok()) return status;
  const Keys rule(*layers.rule, layers.path, status);
  const std::string_view type = rule_type(rule);
  if (!status.ok()) return status;
  check_rule_keys(rule, type);
  if (!status.ok()) return status;

  const Dimensions dimensions = read_dimensions(config, rule, type == "proportional", options);
  if (!status.ok()) return status;
  ConfigReading reading;
  RopeOptions& read = reading.options;
  read.head_dim = dimensions.head_dim;
  read.rotary_dim = dimensions.rotary_dim;
  read.rotary_offset = dimensions.rotary_offset;
  read.pairing = read_pairing(config, root, options);
  if (!status.ok()) return status;
  read.frequencies = read_rule(rule, type,
                               {.config = config,
                                .options = options,
                                .head_dim = dimensions.head_dim,
                                .rotary_dim = dimensions.rotary_dim,
                                .base = read_base(config, rule, layers),
                                .fraction = dimensions.fraction});
  read.axes = read_axes(rule, config, dimensions.rotary_dim / 2);
  if (!status.ok()) return status;
  if (describe != nullptr) describe(config, root, rule, options, reading);
  if (!status.ok()) return status;
  return reading;
}

}  // namespace

Result<ConfigReading> reading_of_huggingface(const json::Value& object, const ConfigOptions& options) {
  Status status;
  if (const auto read = read_vision(Keys(object, "", status), options)) {
    if (!status.ok()) return status;
    return *read;
  }
  if (!status.ok()) return status;
  return read_text_model(object, options, &describe_model);
}

Result<RopeOptions> read_huggingface(const json::Value& config, const ConfigOptions& options) {
  Result<ConfigReading> read = read_text_model(config, options, nullptr);
  if (!read.ok()) return read.status();
  return std::move(read).value().options;
}

}  // namespace ropewalk::rope_config
