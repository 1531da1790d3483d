#pragma once

// Parts of a model's attention beside the rotation, and the assumptions of a reading.

#include "rope_config/keys.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

/// Fills the softmax scale, the query scale, the layers without rotation and the notes. Rejects a layer type
/// that does not rotate.
void describe_model(const Keys& config, const Keys& root, const Keys& rule, const ConfigOptions& options,
                    ConfigReading& reading);

}  // namespace ropewalk::rope_config
