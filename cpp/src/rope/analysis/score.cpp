// The score of a query and a key by distance (RoFormer, arXiv 2104.09864, equation 16, in complex numbers):
//   Re sum_j q_j conj(k_j) e^{i n theta_j}
// The receptive-field rule gives every pair the factor e^{i n phi}; without it the sum is a' + i b'.

#include <cmath>

#include "rope/analysis/products.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {

Result<Score> try_score(const RopeOptions& options, std::span<const double> q, std::span<const double> k,
                        std::span<const double> distances, std::size_t head) {
  Result<analysis::Strand> made = analysis::strand_of("score", options, head);
  if (!made.ok()) return made.status();
  const analysis::Strand& strand = made.value();
  Result<analysis::Products> products = analysis::products_of("score", strand, q, k);
  if (!products.ok()) return products.status();
  if (Status s = check_distances("score", strand, distances); !s.ok()) return s;

  Score result;
  result.phi = strand.phi;
  result.unrotated = products.value().unrotated;
  for (double n : distances) {
    const analysis::Parts parts = analysis::parts_at(strand, products.value(), n);
    const double c = std::cos(n * strand.phi), s = std::sin(n * strand.phi);
    result.in_phase.push_back(parts.in_phase);
    result.quadrature.push_back(parts.quadrature);
    result.score.push_back(result.unrotated + c * parts.in_phase - s * parts.quadrature);
  }
  return result;
}

}  // namespace ropewalk
