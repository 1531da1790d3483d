// The decay bound of RoFormer (arXiv 2104.09864, section 3.4.3): the mean of |S_j| over j = 1 .. d/2, where
// S_j is the sum of the first j sinusoids. The sum begins with theta_0 = 1, as the paper's figure does.

#include <cmath>

#include "base/text.hpp"
#include "rope/analysis/strand.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {

Result<std::vector<double>> try_decay(const RopeOptions& options, std::span<const double> distances,
                                      std::size_t head) {
  ROPEWALK_LET(strand, analysis::strand_of("decay", options, head));
  ROPEWALK_TRY(check_distances("decay", strand, distances));
  std::vector<double> means;
  means.reserve(distances.size());
  for (double n : distances) {
    double re = 0, im = 0, sum = 0;
    for (std::size_t j = 0; j < strand.pairs(); ++j) {
      const double angle = n * strand.theta[j], growth = strand.growth(j, n);
      re += growth * std::cos(angle);
      im += growth * std::sin(angle);
      sum += std::hypot(re, im);
    }
    means.push_back(sum / static_cast<double>(strand.pairs()));
  }
  return means;
}

}  // namespace ropewalk
