#pragma once

// Which dictionary of rope parameters, and which base, the layers of one type have.

#include <optional>
#include <string>

#include "rope_config/keys.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

struct LayerRule {
  /// The dictionary; an empty one where the configuration has none.
  const json::Value* rule;
  /// Goes before its keys in messages: "rope_parameters.full_attention.".
  std::string path;
  /// The layers' own base where it stands beside the dictionaries (Gemma 3, ModernBERT).
  std::optional<double> base;
  /// The dictionary is of this type of layers alone.
  bool by_type = false;
};

/// `config` is the object that holds `rope_scaling` or `rope_parameters`. On an error its status is not ok.
LayerRule rule_of_layers(const Keys& config, const ConfigOptions& options);

}  // namespace ropewalk::rope_config
