#pragma once

// An explanation in words.

#include <cstddef>
#include <optional>
#include <string>

#include "rope/axes.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk::analysis {

struct Account {
  const RopeOptions& options;
  std::size_t rotary_dim;
  const AxisPlan& plan;
  std::optional<double> context;
  std::string formula;
};

std::string explanation_text(const Account& account, const Explanation& explanation);

}  // namespace ropewalk::analysis
