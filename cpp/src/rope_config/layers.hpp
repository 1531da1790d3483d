#pragma once

// Finds the dictionary of rope parameters, and the base, for the layers of one type.

#include <optional>
#include <string>

#include "rope_config/facts.hpp"
#include "rope_config/keys.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

struct LayerRule {
  /// The dictionary; empty if the configuration has none.
  const json::Value* rule;
  /// Written before its keys in messages: "rope_parameters.full_attention.".
  std::string path;
  /// The layers' own base, if it is outside the dictionaries (Gemma 3, ModernBERT).
  std::optional<double> base;
  /// True if the dictionary belongs to this layer type alone.
  bool by_type = false;
  /// The facts about these layers, where the class has several types.
  const json::Value* layer = nullptr;
  /// True if the dictionary is that of the class, since the configuration has none.
  bool assumed = false;
  /// True if the dictionary has members beside those for types of layers, which nobody reads.
  bool has_more = false;
};

/// `config` is the object that holds `rope_scaling` or `rope_parameters`. On an error its status is not ok.
LayerRule rule_of_layers(const Keys& config, const Facts& facts, const ConfigOptions& options);

}  // namespace ropewalk::rope_config
