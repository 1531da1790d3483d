#pragma once

// An explanation in words.

#include <cstddef>
#include <optional>
#include <string>

#include "ropewalk/analysis.hpp"

namespace ropewalk::analysis {

struct Account {
  const RopeOptions& options;
  std::size_t rotary_dim;
  /// Every axis rotates every pair.
  bool mixed;
  std::optional<double> context;
  std::string formula;
};

std::string explanation_text(const Account& account, const Explanation& explanation);

}  // namespace ropewalk::analysis
