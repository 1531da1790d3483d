#pragma once

// Head and rotary dimension of a Hugging Face configuration.

#include <cstddef>

#include "rope_config/keys.hpp"
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
};

/// `proportional`: the rule itself determines which pairs do not rotate, and d is the head dimension.
Dimensions read_dimensions(const Keys& config, const Keys& rule, bool proportional,
                           const ConfigOptions& options);

}  // namespace ropewalk::rope_config
