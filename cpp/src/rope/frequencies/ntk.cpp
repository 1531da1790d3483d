// theta_j = b^(-2j/d) with b = base * s^(d/(d-2)): pair 0 is unchanged, the last one divided by exactly s.
// The exponent needs d > 2.
//   ntk      s = factor >= 1 (bloc97's NTK-aware scaling, 2023)
//   dynamic  s = factor * L / max_positions - (factor - 1), L = max(sequence_length, max_positions): 1 up to
//            max_positions. Hugging Face's "dynamic" (emozilla, 2023); YaRN, arXiv 2309.00071, section 3.2.
// Keys cached under another L were rotated by other frequencies: rerotate() brings them over.

#include <algorithm>
#include <cmath>

#include "rope/frequencies/derive.hpp"
#include "base/text.hpp"

namespace ropewalk {
namespace {

Status grow_base(double base, double s, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  const double d = static_cast<double>(dimensions.rotary_dim);
  if (dimensions.rotary_dim == 2) {
    return out_of_range("rope", "rotary_dim", dimensions.rotary_dim,
                        "at least 4 with this rule, whose exponent is d/(d-2)");
  }
  if (Status status = start_from_default(base, dimensions, out); !status.ok()) return status;
  const auto unscaled = out.unscaled;
  const double grown = base * std::pow(s, d / (d - 2));
  if (Status status = start_from_default(grown, dimensions, out); !status.ok()) return status;
  out.unscaled = unscaled;
  out.formula = {"theta_j = b^(-2j/{}), b = {} * {}^({}/{}) = {}", {d, base, s, d, d - 2, grown}};
  return {};
}

}  // namespace

Status derive(const frequencies::Ntk& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  if (Status s = check_parameter("factor", rule.factor, 1); !s.ok()) return s;
  return grow_base(rule.base, rule.factor, dimensions, out);
}

Status derive(const frequencies::Dynamic& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  if (Status s = check_parameter("factor", rule.factor, 1); !s.ok()) return s;
  if (Status s = check_parameter("max_positions", rule.max_positions, 1); !s.ok()) return s;
  if (Status s = check_parameter("sequence_length", rule.sequence_length, 0); !s.ok()) return s;
  const double length = std::max(rule.sequence_length, rule.max_positions);
  const double s = rule.factor * length / rule.max_positions - (rule.factor - 1);
  if (Status status = grow_base(rule.base, s, dimensions, out); !status.ok()) return status;
  out.formula.words =
      rule.sequence_length > rule.max_positions
          ? "theta_j = b^(-2j/{}), b = {} * {}^({}/{}) = {}; max_positions = {} is exceeded by {} tokens"
          : "theta_j = b^(-2j/{}), b = {} * {}^({}/{}) = {}; nothing is scaled up to max_positions = {} "
            "tokens";
  out.formula.numbers[6] = rule.max_positions;
  out.formula.numbers[7] = rule.sequence_length;
  return {};
}

}  // namespace ropewalk
