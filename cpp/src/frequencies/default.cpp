// theta_j = base^(-2j/d), j = 0 .. d/2-1. RoFormer, arXiv 2104.09864, section 3.2.2; base > 0.

#include <cmath>

#include "frequencies/derive.hpp"
#include "text.hpp"

namespace ropewalk {

Status default_theta(double base, const RotaryDimensions& dimensions, std::vector<double>& theta) {
  if (!(base > 0) || std::isinf(base)) {
    return out_of_range("rope", "frequencies.base", base, "a finite number above 0");
  }
  const double d = static_cast<double>(dimensions.rotary_dim);
  theta.resize(dimensions.pairs());
  for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = std::pow(base, -2.0 * static_cast<double>(j) / d);
  return {};
}

Status derive(const frequencies::Default& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  Status status = default_theta(rule.base, dimensions, out.theta);
  if (!status.ok()) return status;
  // PyTorch's 1.0 / base ** (arange(0, d, 2).float() / d): exponent, power and quotient are each a float32.
  out.theta_float32.resize(out.theta.size());
  for (std::size_t j = 0; j < out.theta.size(); ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(dimensions.rotary_dim);
    out.theta_float32[j] = 1.0f / static_cast<float>(std::pow(rule.base, static_cast<double>(exponent)));
  }
  return {};
}

}  // namespace ropewalk
