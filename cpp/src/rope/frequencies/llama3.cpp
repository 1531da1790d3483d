// Llama 3.1's rule, which is smooth in frequency. With w_j = 2 pi / theta_j and L0 = original_max_positions:
//   w_j < L0 / high_frequency_factor   theta_j
//   w_j > L0 / low_frequency_factor    theta_j / factor
//   between                            ((1 - s) / factor + s) theta_j,  s = (L0 / w_j - low) / (high - low)
// factor >= 1 and high_frequency_factor >= low_frequency_factor > 0. If the two are equal, no pair lies
// between.

#include <cmath>

#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

/// The same in Hugging Face's float32, which divides a number by an array as number * (1 / array).
void derive_float32(const frequencies::Llama3& rule, std::vector<float>& theta) {
  const float factor = static_cast<float>(rule.factor), low = static_cast<float>(rule.low_frequency_factor);
  const float range = static_cast<float>(rule.high_frequency_factor - rule.low_frequency_factor);
  const float original = static_cast<float>(rule.original_max_positions);
  const float longest = static_cast<float>(rule.original_max_positions / rule.low_frequency_factor);
  const float shortest = static_cast<float>(rule.original_max_positions / rule.high_frequency_factor);
  for (float& each : theta) {
    const float wavelength = 1.0f / each * static_cast<float>(2 * M_PI);
    const float scaled = wavelength > longest ? each / factor : each;
    const float s = range == 0 ? 0 : (1.0f / wavelength * original - low) / range;
    const bool on_ramp = !(wavelength < shortest) && !(wavelength > longest);
    each = on_ramp ? (1.0f - s) * scaled / factor + s * scaled : scaled;
  }
}

/// L0 / w_j.
double turns_of(const frequencies::Llama3& rule, double theta) {
  return rule.original_max_positions * theta / (2 * M_PI);
}

}  // namespace

Status options::Describe<frequencies::Llama3>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                      DerivedFrequencies& out) {
  const double low = rule.low_frequency_factor, high = rule.high_frequency_factor;
  if (!(high >= low) || std::isinf(high)) {
    return out_of_range("rope", "frequencies.high_frequency_factor", high,
                        sentence({"a finite number of at least low_frequency_factor = ", low}));
  }
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));

  for (double& theta : out.theta) {
    const double turns = turns_of(rule, theta);
    if (turns < low) {
      theta /= rule.factor;
    } else if (!(turns > high)) {
      const double s = high == low ? 0 : (turns - low) / (high - low);
      theta = (1 - s) * theta / rule.factor + s * theta;
    }
  }
  derive_float32(rule, out.theta_float32);
  return {};
}

void options::Describe<frequencies::Llama3>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                      RuleDescription& out) {
  const double low = rule.low_frequency_factor, high = rule.high_frequency_factor;
  out.unscaled = default_theta(rule.base, dimensions);
  for (double theta : out.unscaled) {
    const double turns = turns_of(rule, theta);
    out.bands.push_back(turns > high ? "kept" : turns < low ? "divided by factor" : "blended");
  }
  out.formula = {
      "pairs with more than {} turns in {} positions are kept, those with less than {} are divided by {}, "
      "those in between are blended",
      {high, rule.original_max_positions, low, rule.factor}};
}

}  // namespace ropewalk
