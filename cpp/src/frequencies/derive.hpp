#pragma once

// From a rule to the numbers a Rope is made of. Each rule is one file of this folder.

#include <cstddef>
#include <vector>

#include "ropewalk/frequencies.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

struct RotaryDimensions {
  std::size_t head_dim = 0;
  std::size_t rotary_dim = 0;  // d
  std::size_t pairs() const { return rotary_dim / 2; }
};

struct DerivedFrequencies {
  /// theta_j, d/2 or heads * d/2.
  std::vector<double> theta;
  /// theta_j as float32 arithmetic gives it, for Angles::float32.
  std::vector<float> theta_float32;
  double magnitude = 1;
};

/// Fills `out`, or says which parameter of the rule is out of range. The other fields of `out` keep their defaults.
Status derive(const frequencies::Default& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
Status derive(const frequencies::Custom& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);

/// Any rule. theta_float32 is filled always: by rounding theta where the rule says nothing else.
Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions);

/// base^(-2j/d), the start of most rules.
Status default_theta(double base, const RotaryDimensions& dimensions, std::vector<double>& theta);

}  // namespace ropewalk
