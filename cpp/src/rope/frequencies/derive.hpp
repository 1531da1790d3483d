#pragma once

// From a rule to the numbers that a Rope is made of, and to what explain() says about it. The two are apart, since a
// program that only rotates leaves the second out. Each rule is one file of this folder.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/frequencies.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Largest |theta_j|, radians per position: 63 positions further an angle is still reduced exactly (rope/table.cpp).
constexpr double largest_theta = 0x1p39;

struct RotaryDimensions {
  std::size_t head_dim = 0;
  std::size_t rotary_dim = 0;  // d
  std::size_t pairs() const { return rotary_dim / 2; }
};

struct DerivedFrequencies {
  /// theta_j, d/2 or heads * d/2.
  std::vector<double> theta;
  /// theta_j as float32 arithmetic gives it, for Angles::float32. Empty: theta rounded.
  std::vector<float> theta_float32;
  double magnitude = 1;
};

/// What a rule does, for explain().
struct RuleDescription {
  /// What theta_j would be without the rule. Empty where the rule starts from nothing.
  std::vector<double> unscaled;
  /// What the rule did to each pair: a few words. Empty: the same to all.
  std::vector<std::string_view> bands;
  /// The formula, with {} for each of the numbers in turn.
  struct Formula {
    const char* words = "";
    double numbers[8] = {};
  } formula;
  /// Where the magnitude comes from.
  const char* magnitude_source = "the rule has none";
};

/// Any rule. theta_float32 is filled always: by rounding theta where the rule says nothing else.
Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions);

/// Any rule that derive() accepts.
RuleDescription describe(const Frequencies& rule, const RotaryDimensions& dimensions);

/// base^(-2j/d).
std::vector<double> default_theta(double base, const RotaryDimensions& dimensions);

/// Fills theta and theta_float32 with base^(-2j/d), the start of most rules.
Status start_from_default(double base, const RotaryDimensions& dimensions, DerivedFrequencies& out);

/// base^(2j/d) as PyTorch's `base ** (arange(0, d, 2).float() / d)` has it: base, exponent and power are each a
/// float32.
std::vector<float> float32_powers(double base, const RotaryDimensions& dimensions);

/// The formula with its numbers.
std::string text_of(const RuleDescription::Formula& formula);

}  // namespace ropewalk
