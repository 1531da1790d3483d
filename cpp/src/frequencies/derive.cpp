#include "frequencies/derive.hpp"

namespace ropewalk {

Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions) {
  DerivedFrequencies derived;
  Status status = std::visit([&](const auto& each) { return derive(each, dimensions, derived); }, rule);
  if (!status.ok()) return status;
  if (derived.theta_float32.empty()) derived.theta_float32.assign(derived.theta.begin(), derived.theta.end());
  return derived;
}

}  // namespace ropewalk
