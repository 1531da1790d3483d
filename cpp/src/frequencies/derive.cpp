#include "frequencies/derive.hpp"

#include <cmath>

#include "text.hpp"

namespace ropewalk {

Status check_parameter(const char* name, double value, double low, bool open) {
  if (std::isfinite(value) && (open ? value > low : value >= low)) return {};
  return out_of_range("rope", "frequencies." + std::string(name), value,
                      "a finite number " + std::string(open ? "above " : "of at least ") + text_of(low));
}

Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions) {
  DerivedFrequencies derived;
  Status status = std::visit([&](const auto& each) { return derive(each, dimensions, derived); }, rule);
  if (!status.ok()) return status;
  if (derived.theta_float32.empty()) derived.theta_float32.assign(derived.theta.begin(), derived.theta.end());
  return derived;
}

}  // namespace ropewalk
