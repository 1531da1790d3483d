#pragma once

// Words of error messages: every one names the function, the argument, its value and what is allowed.

#include <cstddef>
#include <string>
#include <string_view>

#include "ropewalk/status.hpp"

namespace ropewalk {

/// The shortest decimal that reads back as the same double; "NaN", "Infinity", "-Infinity".
std::string text_of(double value);
inline std::string text_of(std::size_t value) { return std::to_string(value); }

/// "rotate: `heads` is 0; allowed: a whole number of at least 1"
Status out_of_range(std::string_view function, std::string_view argument, std::string_view value,
                    std::string_view allowed);
inline Status out_of_range(std::string_view function, std::string_view argument, double value,
                           std::string_view allowed) {
  return out_of_range(function, argument, text_of(value), allowed);
}
inline Status out_of_range(std::string_view function, std::string_view argument, std::size_t value,
                           std::string_view allowed) {
  return out_of_range(function, argument, text_of(value), allowed);
}
/// As out_of_range, for a value of the wrong kind.
Status wrong_type(std::string_view function, std::string_view argument, std::string_view value,
                  std::string_view allowed);

}  // namespace ropewalk
