// theta_j = base^(-2j/d), j = 0 .. d/2-1; base > 0. RoFormer, arXiv 2104.09864, section 3.2.2.

#include <utility>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "options/check.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {

std::vector<float> float32_powers(double base, const RotaryDimensions& dimensions) {
  const double rounded_base = static_cast<float>(base);
  std::vector<float> powers(dimensions.pairs());
  for (std::size_t j = 0; j < powers.size(); ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(dimensions.rotary_dim);
    powers[j] = static_cast<float>(power(rounded_base, static_cast<double>(exponent)));
  }
  return powers;
}

std::vector<double> default_theta(double base, const RotaryDimensions& dimensions) {
  std::vector<double> theta(dimensions.pairs());
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const double channel = static_cast<double>(2 * j), d = static_cast<double>(dimensions.rotary_dim);
    theta[j] = power(base, -channel / d);
  }
  return theta;
}

Status start_from_default(double base, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  // A rule may have increased the base to infinity.
  static constexpr options::Limit positive{"base", options::above(0)};
  options::Checker checker{"rope", "frequencies."};
  if (!checker.number(base, positive)) return std::move(checker.status);
  out.theta = default_theta(base, dimensions);
  out.theta_float32 = float32_powers(base, dimensions);
  for (float& theta : out.theta_float32) theta = 1.0f / theta;
  return {};
}

Status options::Describe<frequencies::Default>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                       DerivedFrequencies& out) {
  return start_from_default(rule.base, dimensions, out);
}

void options::Describe<frequencies::Default>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                       RuleDescription& out) {
  out.unscaled = default_theta(rule.base, dimensions);
  out.formula = {"theta_j = {}^(-2j/{})", {rule.base, static_cast<double>(dimensions.rotary_dim)}};
}

}  // namespace ropewalk
