// Su Jianlin's forms of NTK-aware scaling, which GTE's model_type "new" calls "ntk", with s = factor:
//   ntk-su     theta_j = (base * s)^(-2j/d) * s^(-2/d)
//   ntk-mixed  theta_j = base^(-2j/d) / exp(a (j + 1)^b), a = ln(s) / (d/2)^b, b = mixed_b
// Both divide the last pair, j = d/2 - 1, by exactly s, at every length of the sequence. With b = 1 they are
// the same. Tests compare them with the tables that the code of Alibaba-NLP/new-impl computes.

#include <cmath>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

/// a of the mixed rule.
double rate_of(const frequencies::NtkMixed& rule, const RotaryDimensions& dimensions) {
  return natural_log(rule.factor) / power(static_cast<double>(dimensions.pairs()), rule.mixed_b);
}

}  // namespace

Status options::Describe<frequencies::NtkSu>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                     DerivedFrequencies& out) {
  ROPEWALK_TRY(start_from_default(rule.base * rule.factor, dimensions, out));
  out.theta_float32.clear();
  const double last = power(rule.factor, -2 / static_cast<double>(dimensions.rotary_dim));
  for (double& theta : out.theta) theta *= last;
  return {};
}

Status options::Describe<frequencies::NtkMixed>::derive(const R& rule, const RotaryDimensions& dimensions,
                                                        DerivedFrequencies& out) {
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));
  out.theta_float32.clear();
  const double a = rate_of(rule, dimensions);
  for (std::size_t j = 0; j < out.theta.size(); ++j) {
    out.theta[j] /= exponential(a * power(static_cast<double>(j + 1), rule.mixed_b));
  }
  return {};
}

void options::Describe<frequencies::NtkSu>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                     RuleDescription& out) {
  const double d = static_cast<double>(dimensions.rotary_dim);
  out.unscaled = default_theta(rule.base, dimensions);
  out.formula = {"theta_j = ({} * {})^(-2j/{}) * {}^(-2/{})", {rule.base, rule.factor, d, rule.factor, d}};
}

void options::Describe<frequencies::NtkMixed>::describe(const R& rule, const RotaryDimensions& dimensions,
                                                        RuleDescription& out) {
  out.unscaled = default_theta(rule.base, dimensions);
  out.formula = {
      "theta_j = {}^(-2j/{}) / exp({} (j + 1)^{})",
      {rule.base, static_cast<double>(dimensions.rotary_dim), rate_of(rule, dimensions), rule.mixed_b}};
}

}  // namespace ropewalk
