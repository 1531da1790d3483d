#pragma once

// Configurations of image and video models, whose positions have several axes.

#include <optional>

#include "rope_config/keys.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

/// Returns nothing for a configuration that is not one of these. A known configuration that cannot be read
/// leaves its error in the status of `root`.
std::optional<ConfigReading> read_vision(const Keys& root, const ConfigOptions& options);

}  // namespace ropewalk::rope_config
