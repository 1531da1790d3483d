#pragma once

// From a rule to the numbers that a Rope holds, and to the description that explain() gives. They are
// separate, so that a program that only rotates does not link the description. Each rule is one file of this
// folder.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/frequencies.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Largest |theta_j| in radians per position. With it the angle 63 positions away is still reduced exactly
/// (rope/table.cpp).
constexpr double largest_theta = 0x1p39;

struct RotaryDimensions {
  std::size_t head_dim = 0;
  std::size_t rotary_dim = 0;  // d
  std::size_t pairs() const { return rotary_dim / 2; }
};

struct DerivedFrequencies {
  /// theta_j, d/2 or heads * d/2 of them.
  std::vector<double> theta;
  /// theta_j in float32 arithmetic, for Angles::float32. Empty: theta, rounded.
  std::vector<float> theta_float32;
  double magnitude = 1;
};

/// The effect of a rule, for explain().
struct RuleDescription {
  /// theta_j without the rule. Empty if the rule does not scale other frequencies.
  std::vector<double> unscaled;
  /// The effect of the rule on each pair, in a few words. Empty if it is the same for all.
  std::vector<std::string_view> bands;
  /// The formula, with {} in place of each number.
  struct Formula {
    const char* words = "";
    double numbers[8] = {};
  } formula;
  /// The source of the magnitude.
  const char* magnitude_source = "this rule does not use it";
};

/// Derives any rule. theta_float32 is always filled; unless the rule computes it, it is theta, rounded.
Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions);

/// Describes any rule that derive() accepts.
RuleDescription describe(const Frequencies& rule, const RotaryDimensions& dimensions);

/// base^(-2j/d).
std::vector<double> default_theta(double base, const RotaryDimensions& dimensions);

/// Fills theta and theta_float32 with base^(-2j/d), the start of most rules.
Status start_from_default(double base, const RotaryDimensions& dimensions, DerivedFrequencies& out);

/// base^(2j/d) as PyTorch's `base ** (arange(0, d, 2).float() / d)` computes it: base, exponent and power are
/// rounded to float32.
std::vector<float> float32_powers(double base, const RotaryDimensions& dimensions);

/// The formula with its numbers filled in.
std::string text_of(const RuleDescription::Formula& formula);

}  // namespace ropewalk
