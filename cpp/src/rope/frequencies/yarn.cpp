// YaRN (Peng et al., arXiv 2309.00071, sections 3.2 and 3.4), as Hugging Face computes it.
//   pair(r) = d ln(L0 / (2 pi r)) / (2 ln base), the pair that turns r times within L0 = original_max_positions
//   low     = pair(beta_fast), high = pair(beta_slow), rounded outwards if `truncate`, then clamped to [0, d-1]
//   ramp_j  = clamp((j - low) / (high - low), 0, 1)
//   theta_j = base^(-2j/d) * ((1 - ramp_j) + ramp_j / factor)
// The magnitude, with g(s, u) = 0.1 u ln s + 1 for s > 1 and 1 otherwise, is
//   attention_factor                                        if it is given,
//   g(factor, mscale) / g(factor, mscale_all_dim)           if both are given and not 0,
//   g(factor, 1)                                            otherwise.
// Queries and keys both carry it, so scores carry its square. beta_fast is above beta_slow.

#include <algorithm>
#include <cmath>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

double attention_scale(double factor, double mscale) {
  return factor <= 1 ? 1 : 0.1 * mscale * natural_log(factor) + 1;
}

void set_magnitude(const frequencies::Yarn& rule, DerivedFrequencies& out) {
  const double mscale = rule.mscale.value_or(0), all_dim = rule.mscale_all_dim.value_or(0);
  if (rule.attention_factor) {
    out.magnitude = *rule.attention_factor;
  } else if (mscale != 0 && all_dim != 0) {
    out.magnitude = attention_scale(rule.factor, mscale) / attention_scale(rule.factor, all_dim);
  } else {
    out.magnitude = attention_scale(rule.factor, 1);
  }
}

Status check(const frequencies::Yarn& rule) {
  if (rule.beta_fast > rule.beta_slow) return {};
  return out_of_range("rope", "frequencies.beta_fast", rule.beta_fast,
                      sentence({"a finite number above beta_slow = ", rule.beta_slow}));
}

/// The same in Hugging Face's float32.
void derive_float32(const frequencies::Yarn& rule, const RotaryDimensions& dimensions, double low,
                    double high, std::vector<float>& theta) {
  const float factor = static_cast<float>(rule.factor), first = static_cast<float>(low),
              range = static_cast<float>(high - low);
  const std::vector<float> powers = float32_powers(rule.base, dimensions);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const float keep = 1.0f - std::clamp((static_cast<float>(j) - first) / range, 0.0f, 1.0f);
    theta[j] = 1.0f / (factor * powers[j]) * (1.0f - keep) + 1.0f / powers[j] * keep;
  }
}

/// The ramp between the pairs that are kept and those that are divided by the factor.
struct Ramp {
  double low, high;

  Ramp(const frequencies::Yarn& rule, const RotaryDimensions& dimensions) {
    const double d = static_cast<double>(dimensions.rotary_dim);
    const auto pair_of = [&](double turns) {
      return d * natural_log(rule.original_max_positions / (turns * 2 * M_PI)) / (2 * natural_log(rule.base));
    };
    low = pair_of(rule.beta_fast), high = pair_of(rule.beta_slow);
    if (rule.truncate) low = std::floor(low), high = std::ceil(high);
    low = std::max(low, 0.0);
    high = std::min(high, d - 1);
    if (low == high) high += 0.001;
  }

  double at(std::size_t j) const {
    return std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
  }
};

}  // namespace

Status options::Describe<frequencies::Yarn>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                    DerivedFrequencies& out) {
  ROPEWALK_TRY(check(rule));
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));
  const Ramp ramp(rule, dimensions);
  for (std::size_t j = 0; j < out.theta.size(); ++j) {
    const double share = ramp.at(j);
    out.theta[j] = out.theta[j] / rule.factor * share + out.theta[j] * (1 - share);
  }
  derive_float32(rule, dimensions, ramp.low, ramp.high, out.theta_float32);
  set_magnitude(rule, out);
  return {};
}

void options::Describe<frequencies::Yarn>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                    RuleDescription& out) {
  const Ramp ramp(rule, dimensions);
  out.unscaled = default_theta(rule.base, dimensions);
  for (std::size_t j = 0; j < out.unscaled.size(); ++j) {
    const double share = ramp.at(j);
    out.bands.push_back(share == 0 ? "kept" : share == 1 ? "divided by factor" : "on the ramp");
  }
  const bool both = rule.mscale.value_or(0) != 0 && rule.mscale_all_dim.value_or(0) != 0;
  out.magnitude_source = rule.attention_factor ? "attention_factor, which replaces the formula"
                         : both ? "(0.1 mscale ln(factor) + 1) / (0.1 mscale_all_dim ln(factor) + 1)"
                                : "0.1 ln(factor) + 1";
  out.formula = {
      "theta_j = base^(-2j/d) (1 - ramp_j + ramp_j / {}), where ramp_j rises from 0 at pair {} to 1 at "
      "pair {}, between {} and {} turns in {} positions",
      {rule.factor, ramp.low, ramp.high, rule.beta_fast, rule.beta_slow, rule.original_max_positions}};
}

}  // namespace ropewalk
