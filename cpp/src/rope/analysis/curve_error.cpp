#include "rope/analysis/curve_error.hpp"

#include <algorithm>
#include <cmath>

namespace ropewalk::analysis {

FieldPoint FieldPoint::from_rho(double alpha, double rho) { return {alpha, alpha * std::pow(10000, -rho)}; }

double FieldPoint::rho() const {
  if (alpha <= 0) return 0;
  return phi <= 0 ? largest_rho : std::clamp(-std::log10(phi / alpha) / 4, 0.0, largest_rho);
}

CurveError curve_error(std::span<const double> theta, std::span<const double> distances,
                       std::span<const double> wanted, FieldPoint at) {
  const double weight = 1 / static_cast<double>(theta.size());
  CurveError error;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const double n = distances[i];
    double kernel = 0, by_alpha = 0, by_phi = 0;
    for (double own : theta) {
      const double angle = n * (at.phi + (1 - at.alpha) * own);
      const double by_theta = -n * std::sin(angle);
      kernel += std::cos(angle);
      by_alpha -= by_theta * own;
      by_phi += by_theta;
    }
    const double r = weight * kernel - wanted[i];
    by_alpha *= weight;
    by_phi *= weight;
    error.value += r * r / 2;
    error.d_alpha += r * by_alpha;
    error.d_phi += r * by_phi;
    error.alpha_alpha += by_alpha * by_alpha;
    error.alpha_phi += by_alpha * by_phi;
    error.phi_phi += by_phi * by_phi;
  }
  const double count = static_cast<double>(distances.size());
  for (double* each :
       {&error.value, &error.d_alpha, &error.d_phi, &error.alpha_alpha, &error.alpha_phi, &error.phi_phi}) {
    *each /= count;
  }
  return error;
}

}  // namespace ropewalk::analysis
