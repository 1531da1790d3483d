#include "rope_config/layers.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "rope_config/rules.hpp"

namespace ropewalk::rope_config {
namespace {

using Names = std::vector<std::string_view>;

const json::Value no_rule = [] {
  json::Value value;
  value.kind = json::Kind::object;
  return value;
}();

std::string list(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ").append(json::quoted(names[i]));
  }
  return text;
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The types in `layer_types`, each once.
Names listed_types(const Keys& config) {
  Names names;
  const json::Value* types = config.find("layer_types");
  if (types == nullptr || types->kind != json::Kind::array) return names;
  for (const json::Value& each : types->items) {
    if (each.kind == json::Kind::text && !contains(names, each.text)) names.push_back(each.text);
  }
  return names;
}

/// The requested type, if it is one of `names`. `reason` says how they differ.
std::optional<std::string_view> chosen(const Keys& config, const ConfigOptions& options, const Names& names,
                                       const std::string& reason) {
  if (options.layer_type && contains(names, *options.layer_type)) return *options.layer_type;
  keep_first(config.status(),
             options.layer_type
                 ? out_of_range(function, "layer_type", json::quoted(*options.layer_type), list(names))
                 : Status::type(std::string(function) + ": `layer_type` is missing, and " + reason +
                                "; allowed: " + list(names)));
  return std::nullopt;
}

/// `rope_parameters`, or its older name `rope_scaling`.
LayerRule dictionary(const Keys& config) {
  const json::Value *now = config.find("rope_parameters"), *before = config.find("rope_scaling");
  if (now == nullptr && before == nullptr) return {&no_rule, config.path() + "rope_scaling.", std::nullopt};
  if (now != nullptr && before != nullptr && !equal(*now, *before)) {
    config.refuse("rope_scaling", "the same as `rope_parameters`, or one of the two");
  }
  const std::string name = now != nullptr ? "rope_parameters" : "rope_scaling";
  const json::Value& value = now != nullptr ? *now : *before;
  if (value.kind != json::Kind::object) {
    keep_first(config.status(), wrong_type(function, config.path() + name, json::quoted(value),
                                           "an object of rope parameters, or null"));
    return {&no_rule, {}, std::nullopt};
  }
  return {&value, config.path() + name + ".", std::nullopt};
}

/// `by_type` maps layer types to dictionaries.
LayerRule of_type(const Keys& config, const ConfigOptions& options, const LayerRule& by_type) {
  Names names;
  for (const json::Member& member : by_type.rule->members) {
    if (member.value.kind == json::Kind::object) {
      names.push_back(member.name);
    } else if (member.value.kind != json::Kind::null) {
      keep_first(config.status(), wrong_type(function, by_type.path + member.name, json::quoted(member.value),
                                             "an object of rope parameters, as the other members are"));
    }
  }
  // null: layers that do not rotate.
  const auto type = chosen(
      config, options, names,
      "each type of layers has its own rule in `" + by_type.path.substr(0, by_type.path.size() - 1) + "`");
  if (!type) return {&no_rule, {}, std::nullopt};
  return {by_type.rule->find(*type), by_type.path + std::string(*type) + ".", std::nullopt, true};
}

bool maps_types(const json::Value& dictionary) {
  return std::any_of(dictionary.members.begin(), dictionary.members.end(), [](const json::Member& member) {
    return member.value.kind == json::Kind::object && !is_rule_key(member.name);
  });
}

/// DeepSeek V4: layers with a window rotate by `rope_theta` alone; compressing layers use the rule and
/// `compress_rope_theta`.
LayerRule deepseek_v4(const Keys& config, const ConfigOptions& options, LayerRule rule) {
  const auto type = chosen(
      config, options, {"sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"},
      "layers that compress have the base `compress_rope_theta`");
  if (!type) return rule;
  const bool plain = *type == "sliding_attention";
  const std::string_view label = plain ? "main" : "compress";
  if (const json::Value* own = rule.rule->find(label); own != nullptr && own->kind == json::Kind::object) {
    return {own, rule.path + std::string(label) + ".", std::nullopt, true};
  }
  if (plain) return {&no_rule, rule.path, config.real("rope_theta", 0, true).value_or(10000)};
  rule.base = config.real("compress_rope_theta", 0, true).value_or(160000);
  return rule;
}

}  // namespace

LayerRule rule_of_layers(const Keys& config, const ConfigOptions& options) {
  LayerRule rule = dictionary(config);
  if (config.text("model_type") == "deepseek_v4") return deepseek_v4(config, options, rule);
  if (maps_types(*rule.rule)) return of_type(config, options, rule);

  // Sliding layers with their own base, which no rule scales.
  for (const std::string_view key : {"rope_local_base_freq", "local_rope_theta"}) {
    const auto local = config.real(key, 0, true);
    if (!local) continue;
    const auto type = chosen(config, options, {"full_attention", "sliding_attention"},
                             "sliding layers have the base `" + config.path() + std::string(key) + "`");
    if (type == "sliding_attention") return {&no_rule, config.path() + "rope_scaling.", local};
    return rule;
  }

  const Names types = listed_types(config);
  if (config.has("global_head_dim")) {
    (void)chosen(config, options, types.empty() ? Names{"full_attention", "sliding_attention"} : types,
                 "full attention layers have the head dimension `" + config.path() + "global_head_dim`");
  } else if (options.layer_type && !contains(types, *options.layer_type)) {
    keep_first(config.status(),
               out_of_range(function, "layer_type", json::quoted(*options.layer_type),
                            types.empty() ? "none, since all layers have one rule" : list(types)));
  }
  return rule;
}

}  // namespace ropewalk::rope_config
