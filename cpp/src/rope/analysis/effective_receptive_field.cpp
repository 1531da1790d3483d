// The first distance at which the mean kernel K(n) falls below a threshold.
//   K(n) = (2/d) sum_j growth_j^n cos(n theta_j)
// With f = K - threshold and M >= |K''| everywhere, f cannot reach 0 within
//   s = (K' + sqrt(K'^2 + 2 M f)) / M
// so steps of s miss no crossing.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "rope/analysis/strand.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {
namespace {

struct Kernel {
  double value = 0, slope = 0;
};

Kernel kernel_at(const analysis::Strand& strand, double n) {
  Kernel kernel;
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    const double theta = strand.theta[j], growth = strand.growth(j, n);
    const double c = growth * std::cos(n * theta);
    kernel.value += c;
    kernel.slope -= theta * growth * std::sin(n * theta);
    if (!strand.log_growth.empty()) kernel.slope += strand.log_growth[j] * c;
  }
  const double count = static_cast<double>(strand.pairs());
  return {kernel.value / count, kernel.slope / count};
}

}  // namespace

Result<double> try_effective_receptive_field(const RopeOptions& options, double threshold, double limit,
                                             std::size_t head) {
  constexpr std::string_view function = "effective_receptive_field";
  Result<analysis::Strand> made = analysis::strand_of(function, options, head);
  if (!made.ok()) return made.status();
  const analysis::Strand& strand = made.value();
  if (!(threshold > -1 && threshold < 1)) {
    return out_of_range(function, "threshold", threshold, "a number above -1 and below 1");
  }
  double curvature = 0, fastest = 0;
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    // zeta_j < 1, so that growth^n <= 1 for every n >= 0.
    const double rate =
        std::fabs(strand.theta[j]) + (strand.log_growth.empty() ? 0 : std::fabs(strand.log_growth[j]));
    curvature += rate * rate / static_cast<double>(strand.pairs());
    fastest = std::max(fastest, rate);
  }
  // The search covers this many radians of the fastest pair within seconds.
  const double farthest = fastest == 0 ? 0x1p32 : std::min(0x1p32, 0x1p24 / fastest);
  if (!(limit >= 0 && limit <= farthest)) {
    return out_of_range(function, "limit", limit, "a number from 0 to " + text_of(farthest));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  if (fastest == 0) return infinity;
  const double least = 1e-6 / fastest;
  double n = 0;
  while (n <= limit) {
    const Kernel kernel = kernel_at(strand, n);
    const double above = kernel.value - threshold;
    if (above < 0) return n;
    const double safe =
        (kernel.slope + std::sqrt(kernel.slope * kernel.slope + 2 * curvature * above)) / curvature;
    n += std::max({safe, least, n * 0x1p-50});
  }
  return infinity;
}

}  // namespace ropewalk
