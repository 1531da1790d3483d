// The first distance at which the mean kernel K(n) falls below a threshold.
//   K(n) = (2/d) sum_j growth_j^n cos(n theta_j)
// With f = K - threshold and M >= |K''| from n on, f cannot reach 0 within
//   s = K' / M + sqrt((K' / M)^2 + 2 f / M)
// so steps of s miss no crossing. As growth_j < 1 with xPos, M falls with K: with the M of n = 0 the steps
// become ever shorter where K falls towards the threshold.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "rope/analysis/strand.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {
namespace {

/// |K''| is at most `curvature` at each distance from n on.
struct Kernel {
  double value = 0, slope = 0, curvature = 0;
};

/// theta_j and ln(growth_j) together: the derivative of pair j's term is at most this times its growth.
double rate_of(const analysis::Strand& strand, std::size_t j) {
  return std::fabs(strand.theta[j]) + (strand.log_growth.empty() ? 0 : std::fabs(strand.log_growth[j]));
}

Kernel kernel_at(const analysis::Strand& strand, double n) {
  Kernel kernel;
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    const double theta = strand.theta[j], growth = strand.growth(j, n);
    const double c = growth * std::cos(n * theta);
    kernel.value += c;
    kernel.slope -= theta * growth * std::sin(n * theta);
    if (!strand.log_growth.empty()) kernel.slope += strand.log_growth[j] * c;
    const double rate = rate_of(strand, j);
    // zeta_j < 1, so that growth^n falls or stays.
    kernel.curvature += rate * rate * growth;
  }
  const double count = static_cast<double>(strand.pairs());
  return {kernel.value / count, kernel.slope / count, kernel.curvature / count};
}

}  // namespace

Result<double> try_effective_receptive_field(const RopeOptions& options, double threshold, double limit,
                                             std::size_t head) {
  constexpr std::string_view function = "effective_receptive_field";
  ROPEWALK_LET(strand, analysis::strand_of(function, options, head));
  if (!(threshold > -1 && threshold < 1)) {
    return out_of_range(function, "threshold", threshold, "a number above -1 and below 1");
  }
  double fastest = 0;
  for (std::size_t j = 0; j < strand.pairs(); ++j) fastest = std::max(fastest, rate_of(strand, j));
  // The search covers this many radians of the fastest pair within seconds, unless K nearly touches the threshold
  // in every period and is flat there.
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
    // All that changes has fallen below the least float64.
    if (kernel.curvature == 0) return infinity;
    // The squares of K' and M themselves would underflow where xPos has left little of K.
    const double turning = kernel.slope / kernel.curvature;
    const double safe = turning + std::sqrt(turning * turning + 2 * (above / kernel.curvature));
    n += std::max({safe, least, n * 0x1p-50});
  }
  return infinity;
}

}  // namespace ropewalk
