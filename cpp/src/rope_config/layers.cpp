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

std::string list_of(const Names& names) {
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
                 ? out_of_range(function, "layer_type", json::quoted(*options.layer_type), list_of(names))
                 : Status::type(std::string(function) + ": `layer_type` is missing, and " + reason +
                                "; allowed: " + list_of(names)));
  return std::nullopt;
}

/// `rope_parameters`, or its older name `rope_scaling`.
LayerRule dictionary(const Keys& config, const Facts& facts) {
  const json::Value *now = config.find("rope_parameters"), *before = config.find("rope_scaling");
  if (now == nullptr && before == nullptr) {
    const json::Value* usual = facts.find("rope");
    return {.rule = usual == nullptr ? &no_rule : usual,
            .path = config.path() + (usual == nullptr ? "rope_scaling." : "rope_parameters."),
            .assumed = usual != nullptr};
  }
  if (now != nullptr && before != nullptr && !equal(*now, *before)) {
    config.refuse("rope_scaling", "the same as `rope_parameters`, or one of the two");
  }
  const std::string name = now != nullptr ? "rope_parameters" : "rope_scaling";
  const json::Value& value = now != nullptr ? *now : *before;
  if (value.kind != json::Kind::object) {
    keep_first(config.status(), wrong_type(function, config.path() + name, json::quoted(value),
                                           "an object of rope parameters, or null"));
    return {.rule = &no_rule};
  }
  return {.rule = &value, .path = config.path() + name + "."};
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
  if (!type) return {.rule = &no_rule};
  return {
      .rule = by_type.rule->find(*type), .path = by_type.path + std::string(*type) + ".", .by_type = true};
}

bool maps_types(const json::Value& dictionary) {
  return std::any_of(dictionary.members.begin(), dictionary.members.end(), [](const json::Member& member) {
    return member.value.kind == json::Kind::object && !is_rule_key(member.name);
  });
}

/// DeepSeek V4: layers with a window rotate by `rope_theta` alone; compressing layers use the rule and
/// `compress_rope_theta`.
LayerRule deepseek_v4(const Keys& config, const ConfigOptions& options, LayerRule rule) {
  const auto type = chosen(config, options,
                           {"sliding_attention", "compressed_sparse_attention",
                            "heavily_compressed_attention", "main", "compress"},
                           "layers that compress have the base `compress_rope_theta`");
  if (!type) return rule;
  const bool plain = *type == "sliding_attention" || *type == "main";
  const std::string_view label = plain ? "main" : "compress";
  if (const json::Value* own = rule.rule->find(label); own != nullptr && own->kind == json::Kind::object) {
    return {.rule = own, .path = rule.path + std::string(label) + ".", .by_type = true};
  }
  if (plain)
    return {.rule = &no_rule, .path = rule.path, .base = config.real("rope_theta", 0, true).value_or(10000)};
  rule.base = config.real("compress_rope_theta", 0, true).value_or(160000);
  return rule;
}

/// The types of layers of a class.
Names types_of(const Facts& facts) {
  Names names;
  for (const json::Member& member : facts.find("layers")->members) names.push_back(member.name);
  return names;
}

/// A class with a rule for each type of layers: in one of its own, or one for all that concerns some of them.
LayerRule of_class(const Keys& config, const Facts& facts, const ConfigOptions& options,
                   const LayerRule& all) {
  const Names types = types_of(facts);
  const std::string name = all.path.substr(0, all.path.size() - 1);
  const auto type = chosen(config, options, types,
                           maps_types(*all.rule) ? "each type of layers has its own rule in `" + name + "`"
                                                 : "the class has a rule for each type of layers");
  if (!type) return {.rule = &no_rule};
  LayerRule found{.rule = &no_rule, .path = all.path, .layer = facts.layer(*type), .assumed = all.assumed};
  const auto is_rule = [](const json::Member& each) { return each.value.kind == json::Kind::object; };
  const bool old = name.ends_with("rope_scaling"), strict = !facts.text("scaling").empty();
  if (maps_types(*all.rule)) {
    // It is asked of the dictionary around the types.
    if (all.rule->find("truncate") != nullptr)
      config.refuse(name.substr(config.path().size()), "an object without `truncate`");
    // A class that adds the old dictionary to its own would take the types for members of the rule.
    if (old && !strict)
      config.refuse("rope_scaling", "one rule, or `rope_parameters` with one for each type of layers");
    const json::Value* own = all.rule->find(*type);
    found.path += std::string(*type) + ".";
    found.has_more = !std::ranges::all_of(all.rule->members, [&](const json::Member& each) {
      return is_rule(each) || each.value.kind == json::Kind::null;
    });
    found.by_type = true;
    if (own != nullptr && own->kind == json::Kind::object) {
      found.rule = own;
    } else if (strict) {
      keep_first(config.status(),
                 Status::type(std::string(function) + ": `" + found.path.substr(0, found.path.size() - 1) +
                              "` is missing; the class needs a rule for these layers"));
    }
    return found;
  }
  if (all.rule->members.empty()) return found;
  if (old && !strict && facts.has("rope")) {
    config.refuse("rope_scaling",
                  "nothing: the class adds it to a dictionary of its own; write `rope_parameters`");
  }
  const std::string_view list = old ? "scaling" : "flat";
  if (facts.lists(list, *type)) {
    found.rule = all.rule;
    // The class adds the dictionary to its own, which has `rope_type`.
    if (old && all.rule->find("type") != nullptr && all.rule->find("rope_type") == nullptr) {
      keep_first(config.status(),
                 out_of_range(function, all.path + "type", json::quoted(*all.rule->find("type")),
                              "`rope_type` in its place, since the class does not read `type`"));
    }
  } else if (!old || strict) {
    config.refuse(name.substr(config.path().size()),
                  "an object of " + list_of(types) + ", since the class reads no rule for all layers");
  }
  return found;
}

}  // namespace

LayerRule rule_of_layers(const Keys& config, const Facts& facts, const ConfigOptions& options) {
  LayerRule rule = dictionary(config, facts);
  if (!config.status().ok()) return rule;
  if (facts.text("type") == "deepseek_v4") return deepseek_v4(config, options, rule);
  if (facts.has("layers")) return of_class(config, facts, options, rule);
  if (maps_types(*rule.rule)) return of_type(config, options, rule);

  // Sliding layers with their own base, which no rule scales.
  for (const std::string_view key : {"rope_local_base_freq", "local_rope_theta"}) {
    const auto local = config.real(key, 0, true);
    if (!local) continue;
    if (facts.is_class()) {
      config.refuse(key, "null: " + std::string(facts.text("type")) + " has one base for all layers");
      return rule;
    }
    const auto type = chosen(config, options, {"full_attention", "sliding_attention"},
                             "sliding layers have the base `" + config.path() + std::string(key) + "`");
    if (type == "sliding_attention")
      return {.rule = &no_rule, .path = config.path() + "rope_scaling.", .base = local};
    return rule;
  }

  const Names types = listed_types(config);
  if (config.has("global_head_dim")) {
    (void)chosen(config, options, types.empty() ? Names{"full_attention", "sliding_attention"} : types,
                 "full attention layers have the head dimension `" + config.path() + "global_head_dim`");
  } else if (options.layer_type && !contains(types, *options.layer_type)) {
    keep_first(config.status(),
               out_of_range(function, "layer_type", json::quoted(*options.layer_type),
                            types.empty() ? "none, since all layers have one rule" : list_of(types)));
  }
  return rule;
}

}  // namespace ropewalk::rope_config
