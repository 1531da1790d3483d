#pragma once

// The score of a query and a key as a sum of sinusoids: sum_j h_j e^{i n theta_j}.

#include <span>
#include <string_view>
#include <vector>

#include "rope/analysis/strand.hpp"

namespace ropewalk::analysis {

struct Products {
  /// h_j = magnitude^2 q_j conj(k_j), [d/2].
  std::vector<double> re, im;
  /// sum_j |h_j|
  double length = 0;
  /// Contribution of the channels outside the rotated window.
  double unrotated = 0;
};

/// Errors: q or k not [head_dim], or not finite.
Result<Products> products_of(std::string_view function, const Strand& strand, std::span<const double> q,
                             std::span<const double> k);

/// a'(n) and b'(n): real and imaginary part of sum_j growth_j^n h_j e^{i n (theta_j - phi)}.
struct Parts {
  double in_phase = 0, quadrature = 0;
};
Parts parts_at(const Strand& strand, const Products& products, double n);

}  // namespace ropewalk::analysis
