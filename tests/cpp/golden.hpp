#pragma once

// The reference values of tests/golden, which nobody computed with this code.

#include <nlohmann/json.hpp>
#include <string>

namespace golden {

/// The JSON file at `path` below tests/golden. Not in the header: compiling the parser takes a second, once.
nlohmann::json read(const std::string& path);

}  // namespace golden
