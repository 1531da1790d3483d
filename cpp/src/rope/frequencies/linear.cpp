//   theta_j = base^(-2j/d) / factor, factor >= 1
// Position interpolation (Chen et al., arXiv 2306.15595). Other programs write the same number as 1/factor
// (ggml's freq_scale, MLX's scale), or multiply the positions by it.

#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {

Status options::Describe<frequencies::Linear>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                      DerivedFrequencies& out) {
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));
  for (double& theta : out.theta) theta /= rule.factor;
  for (float& theta : out.theta_float32) theta /= static_cast<float>(rule.factor);
  return {};
}

void options::Describe<frequencies::Linear>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                      RuleDescription& out) {
  out.unscaled = default_theta(rule.base, dimensions);
  out.formula = {"theta_j = {}^(-2j/{}) / {}",
                 {rule.base, static_cast<double>(dimensions.rotary_dim), rule.factor}};
}

}  // namespace ropewalk
