#pragma once

// From a dictionary of Hugging Face rope parameters (`rope_scaling`, `rope_parameters`, or the part for one
// layer type) to the rule it describes. A rule of this form is one entry of the table in rules.cpp.

#include <cstddef>
#include <optional>
#include <string_view>

#include "rope_config/facts.hpp"
#include "rope_config/keys.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

/// Values from outside the dictionary.
struct RuleContext {
  const Keys& config;
  const Facts& facts;
  /// True if the class has a rule for each type of layers.
  bool layered;
  const ConfigOptions& options;
  std::size_t head_dim;
  /// d; for the rule "proportional", the head dimension.
  std::size_t rotary_dim;
  double base;
  /// `partial_rotary_factor` from the dictionary or outside it; 1 by default.
  double fraction;
};

/// `rope_type` or `type`, or "default" if both are absent; "su" is longrope, "mrope" is default.
std::string_view rule_type(const Keys& rule);
/// Rejects keys that the rule of this type does not read.
void check_rule_keys(const Keys& rule, std::string_view type);
Frequencies read_rule(const Keys& rule, std::string_view type, const RuleContext& context);
/// Several position axes: `mrope_section` and `mrope_interleaved`, or Hunyuan's `xdrope_section`.
std::optional<Axes> read_axes(const Keys& rule, std::size_t pairs);

/// A dictionary of rope parameters is empty or has at least one of these keys; one that maps layer types has
/// none.
bool is_rule_key(std::string_view key);

}  // namespace ropewalk::rope_config
