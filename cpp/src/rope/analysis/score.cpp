// The score of a query and a key by distance (RoFormer, arXiv 2104.09864, equation 16, in complex numbers):
//   Re sum_j q_j conj(k_j) e^{i n theta_j}
// The receptive-field rule gives every pair the factor e^{i n phi}; without it the sum is a' + i b'.

#include <cmath>

#include "base/text.hpp"
#include "rope/analysis/products.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {

Result<Score> try_score(const RopeOptions& options, std::span<const double> q, std::span<const double> k,
                        std::span<const double> distances, std::size_t head) {
  ROPEWALK_LET(strand, analysis::strand_of("score", options, head));
  ROPEWALK_LET(products, analysis::products_of("score", strand, q, k));
  ROPEWALK_TRY(check_distances("score", strand, distances));

  Score result;
  result.phi = strand.phi;
  result.unrotated = products.unrotated;
  for (double n : distances) {
    const analysis::Parts parts = analysis::parts_at(strand, products, n);
    const double c = std::cos(n * strand.phi), s = std::sin(n * strand.phi);
    result.in_phase.push_back(parts.in_phase);
    result.quadrature.push_back(parts.quadrature);
    result.score.push_back(result.unrotated + c * parts.in_phase - s * parts.quadrature);
  }
  return result;
}

}  // namespace ropewalk
