#pragma once

// Reads RopeOptions from JSON text, as the bindings pass them. Members have the names of RopeOptions,
// enumerations are words, `axes` and `xpos` are objects, and `frequencies` is {"type": "default", ...}. An
// unknown name is an error that suggests the nearest known one.

#include <string_view>

#include "ropewalk/rope.hpp"

namespace ropewalk {

/// Type error for names that are unknown or missing and for values of the wrong type; range error for words
/// that are not allowed. Rope::make checks the ranges of numbers.
Result<RopeOptions> rope_options_from_json(std::string_view text);

}  // namespace ropewalk
