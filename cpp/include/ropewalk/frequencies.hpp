#pragma once

/// Which theta_j, in radians per position, and which magnitude multiplies cos and sin: one struct per published
/// rule. Each is described, with its source and valid range, in cpp/src/frequencies/<rule>.cpp.

#include <optional>
#include <variant>
#include <vector>

namespace ropewalk {
namespace frequencies {

/// theta_j = base^(-2j/d). RoFormer, arXiv 2104.09864, section 3.2.2.
struct Default {
  double base = 10000;
};

/// Explicit theta_j: d/2 of them, or heads * d/2 for frequencies of each head's own.
struct Custom {
  std::vector<double> frequencies;
  double magnitude = 1;
};

}  // namespace frequencies

using Frequencies = std::variant<frequencies::Default, frequencies::Custom>;

}  // namespace ropewalk
