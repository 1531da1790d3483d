// p-RoPE (Barbero et al., arXiv 2410.06205), Gemma's proportional RoPE, with D the head dimension and
// 0 < fraction <= 1:
//   theta_j = base^(-2j/D) / factor for j < floor(fraction D/2), 0 for the others
// It differs from a partial rotary dimension: the exponent divides by D, and with half pairing the channels
// that do not rotate are the ends of both halves.

#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

std::size_t turning_pairs(const frequencies::Proportional& rule, const RotaryDimensions& dimensions) {
  return static_cast<std::size_t>(rule.fraction * static_cast<double>(dimensions.head_dim) / 2);
}

}  // namespace

Status options::Describe<frequencies::Proportional>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                            DerivedFrequencies& out) {
  if (dimensions.rotary_dim != dimensions.head_dim) {
    return out_of_range("rope", "rotary_dim", dimensions.rotary_dim,
                        sentence({"head_dim = ", dimensions.head_dim,
                                  " with the rule \"proportional\", which "
                                  "says itself which pairs stand still"}));
  }
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));
  const std::size_t turning = turning_pairs(rule, dimensions);
  for (std::size_t j = 0; j < out.theta.size(); ++j) {
    const bool turns = j < turning;
    out.theta[j] = turns ? out.theta[j] / rule.factor : 0;
    out.theta_float32[j] = turns ? out.theta_float32[j] / static_cast<float>(rule.factor) : 0;
  }
  return {};
}

void options::Describe<frequencies::Proportional>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                            RuleDescription& out) {
  const std::size_t turning = turning_pairs(rule, dimensions);
  out.unscaled = default_theta(rule.base, dimensions);
  for (std::size_t j = 0; j < out.unscaled.size(); ++j) {
    out.bands.push_back(j < turning ? "turning" : "standing still");
  }
  out.formula = {
      "theta_j = {}^(-2j/{}) / {} for the first {} pairs, 0 for the rest",
      {rule.base, static_cast<double>(dimensions.head_dim), rule.factor, static_cast<double>(turning)}};
}

}  // namespace ropewalk
