#include "rope/frequencies/derive.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "options/check.hpp"
#include "options/frequencies.hpp"

namespace ropewalk {
namespace {

/// Parameters that are valid one by one may together give a frequency whose angles cannot be computed.
Status check_theta(const std::vector<double>& theta) {
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if (std::fabs(theta[j]) <= largest_theta) continue;
    return out_of_range("rope", "frequencies",
                        sentence({"a rule that gives entry ", j, " the frequency ", theta[j]}),
                        "frequencies from -2^39 to 2^39 radians per position");
  }
  return {};
}

std::size_t saturated_product(std::size_t a, std::size_t b) {
  std::size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/// The number of frequencies that a rule may give.
std::size_t entries_of(const Frequencies& rule, const RotaryDimensions& dimensions) {
  if (const auto* custom = std::get_if<frequencies::Custom>(&rule)) return custom->frequencies.size();
  const auto* field = std::get_if<frequencies::ReceptiveField>(&rule);
  const std::size_t heads =
      field == nullptr ? 1 : std::max(field->alpha.values.size(), field->rho.values.size());
  return saturated_product(heads, dimensions.pairs());
}

}  // namespace

std::string text_of(const RuleDescription::Formula& formula) {
  std::string text;
  std::string_view rest = formula.words;
  for (double number : formula.numbers) {
    const std::size_t hole = rest.find("{}");
    if (hole == std::string_view::npos) break;
    text.append(rest.substr(0, hole)).append(text_of(number));
    rest.remove_prefix(hole + 2);
  }
  return text.append(rest);
}

Result<DerivedFrequencies> derive(const Frequencies& rule, const RotaryDimensions& dimensions) {
  // Memory that a Rope and explain() keep per frequency, in vectors that may grow to three times their size.
  constexpr std::size_t bytes_per_entry = 192;
  const std::size_t bytes = saturated_product(entries_of(rule, dimensions), bytes_per_entry);
  ROPEWALK_TRY(check_memory(bytes, "rope: frequencies"));
  DerivedFrequencies derived;
  Status status = std::visit(
      [&]<class Rule>(const Rule& each) {
        Status checked = options::check_ranges("rope", "frequencies.", each);
        return checked.ok() ? options::Describe<Rule>::derive(each, dimensions, derived) : checked;
      },
      rule);
  if (!status.ok()) return status;
  ROPEWALK_TRY(check_theta(derived.theta));
  if (derived.theta_float32.empty()) derived.theta_float32.assign(derived.theta.begin(), derived.theta.end());
  return derived;
}

RuleDescription describe(const Frequencies& rule, const RotaryDimensions& dimensions) {
  RuleDescription description;
  std::visit(
      [&]<class Rule>(const Rule& each) { options::Describe<Rule>::describe(each, dimensions, description); },
      rule);
  return description;
}

}  // namespace ropewalk
