//   theta*_j = alpha / 10000^rho + (1 - alpha) theta_j
// A frequency that all pairs share, of wavelength 2 pi 10000^rho, is mixed into each pair's own with weight
// alpha. alpha = 0 is plain RoPE; alpha = 1 is one frequency for all pairs. Both parameters can be learned
// (gradients()) and can differ per head. 0 <= alpha <= 1; 0 <= rho <= 64.

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "options/frequencies.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {

Status options::Describe<frequencies::ReceptiveField>::derive(const R& rule,
                                                              const RotaryDimensions& dimensions,
                                                              DerivedFrequencies& out) {
  const std::vector<double>&alpha = rule.alpha.values, &rho = rule.rho.values;
  if (alpha.empty() || rho.empty() || (alpha.size() != rho.size() && alpha.size() != 1 && rho.size() != 1)) {
    return out_of_range("rope", "frequencies.rho", sentence({"an array of ", rho.size(), " numbers"}),
                        sentence({"one number, or as many as alpha has (", alpha.size(), ")"}));
  }
  ROPEWALK_TRY(start_from_default(rule.base, dimensions, out));
  const std::size_t heads = std::max(alpha.size(), rho.size()), pairs = dimensions.pairs();
  const std::vector<double> own = out.theta;
  out.theta.clear();
  for (std::size_t h = 0; h < heads; ++h) {
    const double a = alpha[alpha.size() == 1 ? 0 : h], shared = power(10000, -rho[rho.size() == 1 ? 0 : h]);
    for (std::size_t j = 0; j < pairs; ++j) out.theta.push_back(a * shared + (1 - a) * own[j]);
  }
  out.theta_float32.clear();
  return {};
}

void options::Describe<frequencies::ReceptiveField>::describe(const R& rule,
                                                              const RotaryDimensions& dimensions,
                                                              RuleDescription& out) {
  const std::vector<double>&alpha = rule.alpha.values, &rho = rule.rho.values;
  const std::size_t heads = std::max(alpha.size(), rho.size());
  const std::vector<double> own = default_theta(rule.base, dimensions);
  for (std::size_t h = 0; h < heads; ++h) out.unscaled.insert(out.unscaled.end(), own.begin(), own.end());
  if (heads == 1) {
    out.formula = {"theta*_j = {} * 10000^-{} + {} * {}^(-2j/{})",
                   {alpha[0], rho[0], 1 - alpha[0], rule.base, static_cast<double>(dimensions.rotary_dim)}};
  } else {
    out.formula = {"theta*_j = alpha_h / 10000^rho_h + (1 - alpha_h) base^(-2j/d) for each of {} heads",
                   {static_cast<double>(heads)}};
  }
}

}  // namespace ropewalk
