#include <cmath>
#include <nlohmann/detail/conversions/to_chars.hpp>

#include "base/text.hpp"

namespace ropewalk {

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  // std::to_chars would bring 110 KB of tables into a WASM module.
  char digits[64];
  std::string text(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value));
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace ropewalk
