#include "rope/frequencies/derive.hpp"

#include <cmath>

#include "base/text.hpp"

namespace ropewalk {

Status check_parameter(const char* name, double value, double low, bool open) {
  if (std::isfinite(value) && (open ? value > low : value >= low)) return {};
  return out_of_range("rope", sentence({"frequencies.", name}), value,
                      "a finite number " + std::string(open ? "above " : "of at least ") + text_of(low));
}

std::string text_of(const DerivedFrequencies::Formula& formula) {
  std::string text;
  std::string_view rest = formula.words;
  for (double number : formula.numbers) {
    const std::size_t hole = rest.find("{}");
    if (hole == std::string_view::npos) break;
    text.append(rest.substr(0, hole)).append(text_of(number));
    rest.remove_prefix(hole + 2);
  }
  return text.append(rest);
}

Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions) {
  DerivedFrequencies derived;
  Status status = std::visit([&](const auto& each) { return derive(each, dimensions, derived); }, rule);
  if (!status.ok()) return status;
  if (derived.theta_float32.empty()) derived.theta_float32.assign(derived.theta.begin(), derived.theta.end());
  return derived;
}

}  // namespace ropewalk
