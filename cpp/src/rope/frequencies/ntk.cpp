//   theta_j = b^(-2j/d) with b = base * s^(d/(d-2))
// Pair 0 is unchanged, and the last pair is divided by exactly s. The exponent needs d > 2.
//   ntk      s = factor >= 1 (bloc97's NTK-aware scaling, 2023)
//   dynamic  s = factor * L / max_positions - (factor - 1), L = max(sequence_length, max_positions)
// For `dynamic` s is 1 up to max_positions: Hugging Face's "dynamic" (emozilla, 2023; YaRN, arXiv 2309.00071,
// section 3.3). Keys that were cached with another L have other frequencies. rerotate() converts them.

#include <algorithm>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

double grown_base(double base, double s, const RotaryDimensions& dimensions) {
  const double d = static_cast<double>(dimensions.rotary_dim);
  return base * power(s, d / (d - 2));
}

Status grow_base(double base, double s, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  if (dimensions.rotary_dim == 2) {
    return out_of_range("rope", "rotary_dim", dimensions.rotary_dim,
                        "at least 4 with this rule, whose exponent is d/(d-2)");
  }
  return start_from_default(grown_base(base, s, dimensions), dimensions, out);
}

/// s of the dynamic rule.
double growth_of(const frequencies::Dynamic& rule) {
  const double length = std::max(rule.sequence_length, rule.max_positions);
  return rule.factor * length / rule.max_positions - (rule.factor - 1);
}

void describe_base(double base, double s, const RotaryDimensions& dimensions, RuleDescription& out) {
  const double d = static_cast<double>(dimensions.rotary_dim);
  out.unscaled = default_theta(base, dimensions);
  out.formula = {"theta_j = b^(-2j/{}), b = {} * {}^({}/{}) = {}",
                 {d, base, s, d, d - 2, grown_base(base, s, dimensions)}};
}

}  // namespace

Status options::Describe<frequencies::Ntk>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                   DerivedFrequencies& out) {
  return grow_base(rule.base, rule.factor, dimensions, out);
}

Status options::Describe<frequencies::Dynamic>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                       DerivedFrequencies& out) {
  return grow_base(rule.base, growth_of(rule), dimensions, out);
}

void options::Describe<frequencies::Ntk>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                   RuleDescription& out) {
  describe_base(rule.base, rule.factor, dimensions, out);
}

void options::Describe<frequencies::Dynamic>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                       RuleDescription& out) {
  describe_base(rule.base, growth_of(rule), dimensions, out);
  out.formula.words =
      rule.sequence_length > rule.max_positions
          ? "theta_j = b^(-2j/{}), b = {} * {}^({}/{}) = {}; max_positions = {} is less than the {} tokens "
            "of the sequence"
          : "theta_j = b^(-2j/{}), b = {} * {}^({}/{}) = {}; nothing is scaled up to max_positions = {} "
            "tokens";
  out.formula.numbers[6] = rule.max_positions;
  out.formula.numbers[7] = rule.sequence_length;
}

}  // namespace ropewalk
