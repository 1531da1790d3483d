// theta_j = base^(-2j/d) / factor, factor >= 1: position interpolation (Chen et al., arXiv 2306.15595). The
// same number is written 1/factor (ggml's freq_scale, MLX's scale) and as a multiplier of positions
// elsewhere.

#include "rope/frequencies/derive.hpp"
#include "base/text.hpp"

namespace ropewalk {

Status derive(const frequencies::Linear& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out) {
  if (Status s = check_parameter("factor", rule.factor, 1); !s.ok()) return s;
  if (Status s = start_from_default(rule.base, dimensions, out); !s.ok()) return s;
  for (double& theta : out.theta) theta /= rule.factor;
  for (float& theta : out.theta_float32) theta /= static_cast<float>(rule.factor);
  return {};
}

void describe(const frequencies::Linear& rule, const RotaryDimensions& dimensions, RuleDescription& out) {
  out.unscaled = default_theta(rule.base, dimensions);
  out.formula = {"theta_j = {}^(-2j/{}) / {}",
                 {rule.base, static_cast<double>(dimensions.rotary_dim), rule.factor}};
}

}  // namespace ropewalk
