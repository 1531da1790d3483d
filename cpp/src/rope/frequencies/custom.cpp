// theta_j as given: d/2 finite numbers, or heads * d/2 if each head has its own. A negative frequency rotates
// the other way; a frequency of 0 does not rotate.

#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {

Status options::Describe<frequencies::Custom>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                      DerivedFrequencies& out) {
  const std::size_t count = rule.frequencies.size();
  if (count == 0 || count % dimensions.pairs() != 0) {
    return out_of_range(
        "rope", "frequencies.frequencies", sentence({"an array of ", count, " numbers"}),
        sentence({"rotary_dim/2 = ", dimensions.pairs(), " numbers, or that many for each head"}));
  }
  if (rule.magnitude == 0) {
    return out_of_range("rope", "frequencies.magnitude", rule.magnitude, "a finite number other than 0");
  }
  out.theta = rule.frequencies;
  out.magnitude = rule.magnitude;
  return {};
}

void options::Describe<frequencies::Custom>::describe(const R&, const RotaryDimensions&,
                                                      RuleDescription& out) {
  out.magnitude_source = "given";
  out.formula = {.words = "theta_j as given"};
}

}  // namespace ropewalk
