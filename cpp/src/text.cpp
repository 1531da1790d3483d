#include "text.hpp"

#include <cmath>
#include <nlohmann/detail/conversions/to_chars.hpp>

namespace ropewalk {
namespace {

std::string sentence(std::string_view function, std::string_view argument, std::string_view value,
                     std::string_view allowed) {
  std::string text(function);
  text.append(": `").append(argument).append("` is ").append(value).append("; allowed: ").append(allowed);
  return text;
}

}  // namespace

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  // std::to_chars would bring 110 KB of tables into the WASM module.
  char digits[64];
  std::string text(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value));
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

Status out_of_range(std::string_view function, std::string_view argument, std::string_view value,
                    std::string_view allowed) {
  return Status::range(sentence(function, argument, value, allowed));
}

Status wrong_type(std::string_view function, std::string_view argument, std::string_view value,
                  std::string_view allowed) {
  return Status::type(sentence(function, argument, value, allowed));
}

}  // namespace ropewalk
