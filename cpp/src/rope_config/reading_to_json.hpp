#pragma once

// A reading as JSON: {"options": ..., "layers_without_rotation": [...], "softmax_scale": ...,
// "notes": [...]}.

#include <string>

#include "ropewalk/config.hpp"

namespace ropewalk {

std::string config_reading_to_json(const ConfigReading& reading);

}  // namespace ropewalk
