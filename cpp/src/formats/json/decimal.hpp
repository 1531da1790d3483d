#pragma once

#include <string_view>

namespace ropewalk::json {

/// The double nearest to `number`, ties to even: a JSON number, whose grammar has been checked. Infinite when
/// it is too large. Exact for up to 40 significant digits; longer ones are cut there. Neither std::from_chars
/// nor strtod, which would bring tables or 128-bit arithmetic into the WASM module.
double decimal(std::string_view number);

}  // namespace ropewalk::json
