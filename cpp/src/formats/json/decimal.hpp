#pragma once

#include <string_view>

namespace ropewalk::json {

/// The double nearest to `number`, ties to even. `number` is a JSON number whose grammar has been checked.
/// Infinite if it is too large. Exact for up to 40 significant digits; further digits are ignored.
/// std::from_chars and strtod are not used, because they would bring tables or 128-bit arithmetic into the
/// WASM module.
double decimal(std::string_view number);

}  // namespace ropewalk::json
