// LongRoPE (Ding et al., arXiv 2402.13753), as Phi-3 has it.
//   theta_j = base^(-2j/d) / lambda_j, every lambda > 0
// lambda is long_factor if sequence_length > original_max_positions, otherwise short_factor: exactly
// original_max_positions tokens are still short. The magnitude is the same for short and long sequences:
//   attention_factor                                       if it is given,
//   sqrt(1 + ln(factor) / ln(original_max_positions))      for factor > 1,
//   1                                                      otherwise.
// The choice is made once per sequence: keys that were cached as short do not fit a long query. rerotate()
// converts them.

#include <cmath>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

Status check_factors(const char* name, const std::vector<double>& factors, std::size_t pairs) {
  if (factors.size() == pairs) return {};
  return out_of_range("rope", sentence({"frequencies.", name}),
                      sentence({"an array of ", factors.size(), " numbers"}),
                      sentence({"rotary_dim/2 = ", pairs, " numbers"}));
}

bool is_long(const frequencies::LongRope& rule) { return rule.sequence_length > rule.original_max_positions; }

}  // namespace

Status options::Describe<frequencies::LongRope>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                        DerivedFrequencies& out) {
  ROPEWALK_TRY(check_factors("short_factor", rule.short_factor, dimensions.pairs()));
  ROPEWALK_TRY(check_factors("long_factor", rule.long_factor, dimensions.pairs()));
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));

  const std::vector<double>& lambda = is_long(rule) ? rule.long_factor : rule.short_factor;
  const std::vector<float> powers = float32_powers(rule.base, dimensions);
  for (std::size_t j = 0; j < out.theta.size(); ++j) {
    out.theta[j] /= lambda[j];
    out.theta_float32[j] = 1.0f / (static_cast<float>(lambda[j]) * powers[j]);
  }
  if (rule.attention_factor) {
    out.magnitude = *rule.attention_factor;
  } else if (rule.factor.value_or(1) > 1) {
    out.magnitude = std::sqrt(1 + natural_log(*rule.factor) / natural_log(rule.original_max_positions));
  }
  return {};
}

void options::Describe<frequencies::LongRope>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                        RuleDescription& out) {
  out.unscaled = default_theta(rule.base, dimensions);
  if (rule.attention_factor) {
    out.magnitude_source = "attention_factor, which replaces the formula";
  } else if (rule.factor.value_or(1) > 1) {
    out.magnitude_source = "sqrt(1 + ln(factor) / ln(original_max_positions)), for short and long alike";
  } else {
    out.magnitude_source = "1, since the factor is not above 1";
  }
  out.formula = {
      is_long(rule)
          ? "theta_j = base^(-2j/d) / long_factor_j: {} tokens are more than original_max_positions = {}"
          : "theta_j = base^(-2j/d) / short_factor_j: {} tokens are not more than original_max_positions = "
            "{}",
      {rule.sequence_length, rule.original_max_positions}};
}

}  // namespace ropewalk
