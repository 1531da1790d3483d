#pragma once

// RopeOptions from JSON text, as the bindings pass them: the members of RopeOptions by name, enumerations by
// their words, `axes` and `xpos` as objects of theirs, and `frequencies` as {"type": "default", ...}. Strict:
// a name that is not known is an error that says the nearest one that is.

#include <string_view>

#include "ropewalk/rope.hpp"

namespace ropewalk {

/// type error for names that are not known, missing or of the wrong type; range error for words that are not
/// among those allowed. Ranges of numbers are for Rope::make.
Result<RopeOptions> rope_options_from_json(std::string_view text);

}  // namespace ropewalk
