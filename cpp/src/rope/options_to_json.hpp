#pragma once

// RopeOptions as the JSON text that options_from_json.hpp reads.

#include <string>

#include "ropewalk/rope.hpp"

namespace ropewalk {

/// Leaves out parameters that are not given (std::nullopt), an offset of 0, and exact angles.
std::string rope_options_to_json(const RopeOptions& options);

}  // namespace ropewalk
