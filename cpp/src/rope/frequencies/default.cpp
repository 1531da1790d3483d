// theta_j = base^(-2j/d), j = 0 .. d/2-1; base > 0. RoFormer, arXiv 2104.09864, section 3.2.2.

#include <cmath>

#include "rope/frequencies/derive.hpp"
#include "base/text.hpp"

namespace ropewalk {

std::vector<float> float32_powers(double base, const RotaryDimensions& dimensions) {
  const double rounded_base = static_cast<float>(base);
  std::vector<float> powers(dimensions.pairs());
  for (std::size_t j = 0; j < powers.size(); ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(dimensions.rotary_dim);
    powers[j] = static_cast<float>(std::pow(rounded_base, static_cast<double>(exponent)));
  }
  return powers;
}

Status start_from_default(double base, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  if (Status s = check_parameter("base", base, 0, true); !s.ok()) return s;
  const std::size_t pairs = dimensions.pairs();
  out.theta.resize(pairs);
  out.theta_float32 = float32_powers(base, dimensions);
  for (float& theta : out.theta_float32) theta = 1.0f / theta;
  for (std::size_t j = 0; j < pairs; ++j) {
    const double channel = static_cast<double>(2 * j), d = static_cast<double>(dimensions.rotary_dim);
    out.theta[j] = std::pow(base, -channel / d);
  }
  out.unscaled = out.theta;
  return {};
}

Status derive(const frequencies::Default& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  out.formula = {"theta_j = {}^(-2j/{})", {rule.base, static_cast<double>(dimensions.rotary_dim)}};
  return start_from_default(rule.base, dimensions, out);
}

}  // namespace ropewalk
