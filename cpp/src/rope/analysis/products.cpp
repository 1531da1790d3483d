#include "rope/analysis/products.hpp"

#include <cmath>
#include <string>

#include "base/text.hpp"

namespace ropewalk::analysis {
namespace {

Status check_head(std::string_view function, std::string_view name, const Strand& strand,
                  std::span<const double> x) {
  if (x.size() != strand.head_dim) {
    return out_of_range(function, name, "an array of " + std::to_string(x.size()) + " numbers",
                        "head_dim = " + std::to_string(strand.head_dim) + " numbers");
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      return out_of_range(function, std::string(name) + "[" + std::to_string(i) + "]", x[i],
                          "a finite number");
    }
  }
  return {};
}

}  // namespace

Result<Products> products_of(std::string_view function, const Strand& strand, std::span<const double> q,
                             std::span<const double> k) {
  ROPEWALK_TRY(check_head(function, "q", strand, q));
  ROPEWALK_TRY(check_head(function, "k", strand, k));
  Products products;
  const double gain = strand.magnitude * strand.magnitude;
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    const auto [a, b] = strand.channels[j];
    products.re.push_back(gain * (q[a] * k[a] + q[b] * k[b]));
    products.im.push_back(gain * (q[b] * k[a] - q[a] * k[b]));
    products.length += std::hypot(products.re[j], products.im[j]);
  }
  for (std::size_t i = 0; i < strand.head_dim; ++i) {
    const bool rotated = i >= strand.rotary_offset && i < strand.rotary_offset + 2 * strand.pairs();
    if (!rotated) products.unrotated += q[i] * k[i];
  }
  return products;
}

Parts parts_at(const Strand& strand, const Products& products, double n) {
  Parts parts;
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    const double angle = n * (strand.theta[j] - strand.phi), growth = strand.growth(j, n);
    const double c = growth * std::cos(angle), s = growth * std::sin(angle);
    parts.in_phase += products.re[j] * c - products.im[j] * s;
    parts.quadrature += products.re[j] * s + products.im[j] * c;
  }
  return parts;
}

}  // namespace ropewalk::analysis
