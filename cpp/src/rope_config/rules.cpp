#include "rope_config/rules.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "rope_config/names.hpp"
#include "rope_config/rule_readers.hpp"

namespace ropewalk::rope_config {
namespace {

using Names = std::span<const std::string_view>;
constexpr std::string_view factor_keys[] = {"factor"};
// Hunyuan's alpha replaces the factor. Its files also contain YaRN's members, which have no effect there.
constexpr std::string_view dynamic_keys[] = {"factor",    "alpha",  "beta_fast",
                                             "beta_slow", "mscale", "mscale_all_dim"};
constexpr std::string_view yarn_keys[] = {"factor", "original_max_position_embeddings", "beta_fast",
                                          "beta_slow", "attention_factor", "mscale", "mscale_all_dim",
                                          "truncate",
                                          // Says how the weights came to be, not how they rotate.
                                          "finetuned"};
constexpr std::string_view longrope_keys[] = {
    "short_factor", "long_factor", "original_max_position_embeddings", "factor", "attention_factor",
    "short_mscale", "long_mscale"};
constexpr std::string_view llama3_keys[] = {"factor", "low_freq_factor", "high_freq_factor",
                                            "original_max_position_embeddings"};
// mixed_b belongs to GTE alone.
constexpr std::string_view ntk_keys[] = {"factor", "mixed_b"};
constexpr std::string_view receptive_field_keys[] = {"alpha", "rho"};
/// Members that every rule has.
constexpr std::string_view common_keys[] = {
    "rope_type",         "type",           "rope_theta",          "partial_rotary_factor", "mrope_section",
    "mrope_interleaved", "xdrope_section", "llama_4_scaling_beta"};

struct Rule {
  std::string_view type;
  Names keys;
  Frequencies (*read)(const Keys&, const RuleContext&);
};

constexpr Rule rules[] = {
    {"default", {}, &read_default},
    {"linear", factor_keys, &read_linear},
    {"ntk", ntk_keys, &read_ntk},
    {"dynamic", dynamic_keys, &read_dynamic},
    {"yarn", yarn_keys, &read_yarn},
    {"longrope", longrope_keys, &read_longrope},
    {"llama3", llama3_keys, &read_llama3},
    {"proportional", factor_keys, &read_proportional},
    {"receptive-field", receptive_field_keys, &read_receptive_field},
};

const Rule* find_rule(std::string_view type) {
  const auto found =
      std::find_if(std::begin(rules), std::end(rules), [&](const Rule& rule) { return rule.type == type; });
  return found == std::end(rules) ? nullptr : found;
}

/// "mrope" concerns axes, not frequencies; saved configurations have it as `type` next to the actual rule.
/// "xdrope" is Hunyuan's dynamic rule with several axes.
std::string_view frequencies_of(std::string_view type) {
  if (type == "mrope") return "default";
  if (type == "xdrope") return "dynamic";
  return type == "su" ? "longrope" : type;
}

}  // namespace

bool is_rule_key(std::string_view key) {
  const auto in = [&](Names names) { return std::find(names.begin(), names.end(), key) != names.end(); };
  return in(common_keys) ||
         std::any_of(std::begin(rules), std::end(rules), [&](const Rule& rule) { return in(rule.keys); });
}

std::string_view rule_type(const Keys& rule) {
  const auto now = rule.text("rope_type"), before = rule.text("type");
  std::string_view type = frequencies_of(now ? *now : before.value_or("default"));
  if (now && before && *now != *before) {
    if (*now == "mrope") {
      type = frequencies_of(*before);
    } else if (*before != "mrope" && frequencies_of(*now) != frequencies_of(*before)) {
      rule.refuse("type", "the same as `rope_type`, " + json::quoted(*now));
    }
  }
  if ((now == "mrope" || before == "mrope") && !rule.has("mrope_section")) {
    rule.missing("mrope_section", "the type \"mrope\"");
  }
  if (find_rule(type) == nullptr) {
    std::string allowed;
    for (const Rule& each : rules) allowed.append(json::quoted(each.type)).append(", ");
    rule.refuse(now && type == frequencies_of(*now) ? "rope_type" : "type", allowed + "\"su\" or \"mrope\"");
    return "default";
  }
  return type;
}

void check_rule_keys(const Keys& rule, std::string_view type) {
  std::vector<std::string_view> known, all;
  for (const Rule& each : rules) {
    auto& names = each.type == type ? known : all;
    names.insert(names.end(), each.keys.begin(), each.keys.end());
  }
  known.insert(known.end(), std::begin(common_keys), std::end(common_keys));
  std::string owner = "the rule " + json::quoted(type);
  if (!rule.has("rope_type") && !rule.has("type")) owner += ", the one without `rope_type`";
  check_dictionary(rule, known, all, owner);
}

Frequencies read_rule(const Keys& rule, std::string_view type, const RuleContext& context) {
  if (type != "default" && context.config.has("rotary_scaling_factor")) {
    context.config.refuse("rotary_scaling_factor", "null beside the rule " + json::quoted(type));
  }
  if (const json::Value* refused = context.facts.find("refuses")) {
    for (const json::Member& each : refused->members) {
      if ((" " + each.name + " ").find(" " + std::string(type) + " ") == std::string::npos) continue;
      // A member that is missing is the reason only where it is.
      const std::size_t end = each.value.text.find(" field must be a number, got None");
      const std::size_t begin = end == std::string::npos ? 0 : each.value.text.rfind(' ', end - 1) + 1;
      if (end != std::string::npos && rule.has(each.value.text.substr(begin, end - begin))) continue;
      rule.refuse(rule.has("rope_type") ? "rope_type" : "type",
                  "a rule that " + std::string(context.facts.text("type")) + " takes: its class says " +
                      each.value.text);
    }
  }
  return find_rule(type)->read(rule, context);
}

std::optional<Axes> read_axes(const Keys& rule, std::size_t pairs) {
  const std::string_view name = rule.has("xdrope_section") ? "xdrope_section" : "mrope_section";
  const auto sections = rule.wholes(name);
  const auto interleaved = rule.boolean("mrope_interleaved");
  if (!rule.has(name)) {
    if (interleaved) rule.missing("mrope_section", "`mrope_interleaved`");
    return std::nullopt;
  }
  if (!sections) return std::nullopt;
  std::uint64_t sum = 0;
  for (const std::size_t section : *sections) sum += section;
  if (sum != pairs || sections->empty()) {
    rule.refuse(name, "sections of " + text_of(static_cast<double>(sum)) + " pairs",
                "whole numbers with the sum rotary_dim/2 = " + text_of(pairs));
    return std::nullopt;
  }
  return Axes{.sections = *sections,
              .order = interleaved.value_or(false) ? Axes::Order::interleaved : Axes::Order::chunked};
}

}  // namespace ropewalk::rope_config
