#pragma once

// Head and rotary dimension of a Hugging Face configuration.

#include <cstddef>

#include <string>
#include <vector>

#include "rope_config/facts.hpp"
#include "rope_config/keys.hpp"
#include "rope_config/layers.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

struct Dimensions {
  /// The part of the head that rotates, if the model keeps it as a separate head (`qk_rope_head_dim`).
  std::size_t head_dim = 2;
  /// d
  std::size_t rotary_dim = 2;
  /// First channel of the rotated window: DeepSeek V4 rotates the last channels.
  std::size_t rotary_offset = 0;
  /// `partial_rotary_factor` or one of its other names.
  double fraction = 1;
  /// Keys that the file lacks, and what the class has for each.
  struct Default {
    std::string key;
    double value;
  };
  std::vector<Default> assumed;
};

/// The sources that a configuration is read by.
struct Source {
  const Keys& config;
  const Keys& rule;
  const Facts& facts;
  const LayerRule& layers;
  /// The rule, by its name.
  std::string_view type;
  const ConfigOptions& options;
};

/// With the rule "proportional", which determines itself which pairs do not rotate, d is the head dimension.
Dimensions read_dimensions(const Source& source);

/// A key that the class does not read must say what is so anyway.
void refuse_unread(const Source& source, std::string_view key, double value);

}  // namespace ropewalk::rope_config
