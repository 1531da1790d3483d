#pragma once

// Parts of a model's attention beside the rotation, and the assumptions of a reading.

#include "rope_config/dimensions.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

/// Fills the softmax scale, the query scale, the layers without rotation and the notes. Rejects a layer type
/// that does not rotate.
void describe_model(const Source& source, const Dimensions& dimensions, const Keys& root,
                    ConfigReading& reading);

}  // namespace ropewalk::rope_config
