#include "text.hpp"

#include <charconv>
#include <cmath>

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
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return std::string(digits, end);
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
