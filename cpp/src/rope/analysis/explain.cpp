// The description that each rule gives of itself (RuleDescription), pair by pair. It is derived again,
// because a Rope keeps only theta_j.

#include <cmath>
#include <limits>
#include <numbers>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "rope/analysis/explain_text.hpp"
#include "rope/frequencies/derive.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {
namespace {

/// The pairs that belong to an axis when the axes share d/2 pairs.
std::vector<std::size_t> pairs_of(const AxisPlan& plan, std::size_t axis) {
  std::vector<std::size_t> own;
  for (std::size_t j = 0; j < plan.axis_of.size(); ++j) {
    if (plan.axis_of[j] == axis) own.push_back(j);
  }
  return own;
}

/// The pairs of one derivation. Entry i of `derived` is pair numbers[i % numbers.size()] of the next head,
/// then of the next axis.
void add_pairs(const DerivedFrequencies& derived, const RuleDescription& description,
               const std::vector<std::size_t>& numbers, std::size_t heads, std::size_t first_axis,
               std::vector<Explanation::Pair>& out) {
  for (std::size_t i = 0; i < derived.theta.size(); ++i) {
    const std::size_t row = i / numbers.size();
    const double theta = derived.theta[i];
    Explanation::Pair pair;
    pair.axis = first_axis + row / heads;
    pair.head = row % heads;
    pair.pair = numbers[i % numbers.size()];
    pair.theta = theta;
    pair.wavelength =
        theta == 0 ? std::numeric_limits<double>::infinity() : 2 * std::numbers::pi / std::fabs(theta);
    // If the frequency itself underflows to 0, the rule has nothing to scale.
    const auto& [unscaled, bands, formula, magnitude_source] = description;
    if (!unscaled.empty() && unscaled[i] != 0) pair.scaled_by = theta / unscaled[i];
    if (!bands.empty()) pair.band = bands[i];
    out.push_back(std::move(pair));
  }
}

std::vector<std::size_t> all_of(std::size_t pairs) {
  std::vector<std::size_t> numbers;
  for (std::size_t j = 0; j < pairs; ++j) numbers.push_back(j);
  return numbers;
}

}  // namespace

Result<Explanation> try_explain(const RopeOptions& options, std::optional<double> context) {
  ROPEWALK_LET(rope, Rope::make(options));
  if (context && !(*context > 0 && std::isfinite(*context))) {
    return out_of_range("explain", "context", *context, "a finite number above 0");
  }
  // Each pair needs its numbers, the names of its bands and its part of the text.
  constexpr std::size_t bytes_per_pair = 1024;
  ROPEWALK_TRY(check_memory(rope.frequencies().size() * bytes_per_pair, "explain"));
  const std::size_t rotary_dim = rope.rotary_dim(), pairs = rotary_dim / 2;
  // Rope::make has found it sound.
  const AxisPlan plan = plan_axes(options, pairs).value();
  const std::size_t axes = plan.axes;

  Explanation result;
  analysis::Account account{
      .options = options, .rotary_dim = rotary_dim, .plan = plan, .context = context, .formula = {}};
  const auto take = [&](const DerivedFrequencies& derived, const RuleDescription& description) {
    result.magnitude = derived.magnitude;
    result.magnitude_source = description.magnitude_source;
    account.formula = text_of(description.formula);
  };
  if (options.axes && options.axes->restart_frequencies && !plan.mixed) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::size_t d = 2 * plan.sections[axis];
      if (d == 0) continue;
      const RotaryDimensions dimensions = {.head_dim = d, .rotary_dim = d};
      ROPEWALK_LET(derived, derive(options.frequencies, dimensions));
      const RuleDescription description = describe(options.frequencies, dimensions);
      std::string formulas = account.formula;
      take(derived, description);
      if (!formulas.empty()) {
        if (formulas.find(account.formula) == std::string::npos) formulas += "; " + account.formula;
        account.formula = std::move(formulas);
      }
      add_pairs(derived, description, pairs_of(plan, axis), 1, axis, result.pairs);
    }
  } else {
    const RotaryDimensions dimensions = {options.head_dim, rotary_dim};
    ROPEWALK_LET(derived, derive(options.frequencies, dimensions));
    const RuleDescription description = describe(options.frequencies, dimensions);
    take(derived, description);
    const std::size_t rows = derived.theta.size() / pairs;
    add_pairs(derived, description, all_of(pairs), plan.mixed ? rows / axes : rows, 0, result.pairs);
  }
  result.text = analysis::explanation_text(account, result);
  return result;
}

}  // namespace ropewalk
