#include "rope/analysis/descent.hpp"

#include <algorithm>

namespace ropewalk::analysis {
namespace {

constexpr double smallest_damping = 1e-12, largest_damping = 1e12;

FieldPoint within_bounds(double alpha, double phi) {
  alpha = std::clamp(alpha, 0.0, 1.0);
  return {alpha, std::clamp(phi, 0.0, alpha)};
}

}  // namespace

Descent::Descent(std::span<const double> theta, std::span<const double> distances,
                 std::span<const double> wanted, FieldPoint start)
    : theta_(theta),
      distances_(distances),
      wanted_(wanted),
      point_(start),
      error_(curve_error(theta, distances, wanted, start)) {}

/// The end of the damped Gauss-Newton step. If the gradient points across a bound, the step moves along that
/// bound.
FieldPoint Descent::next() const {
  const double more = 1 + damping_;
  const double aa = error_.alpha_alpha * more, pp = error_.phi_phi * more, ap = error_.alpha_phi;
  const double ga = error_.d_alpha, gp = error_.d_phi;
  const auto alone = [](double gradient, double curvature) {
    return curvature > 0 ? -gradient / curvature : 0;
  };
  if (point_.phi >= point_.alpha && gp - ga < 0) {  // rho = 0: alpha and phi move as one
    const double both = alone(ga + gp, aa + 2 * ap + pp);
    return within_bounds(point_.alpha + both, point_.phi + both);
  }
  const bool alpha_held = (point_.alpha <= 0 && ga >= 0) || (point_.alpha >= 1 && ga <= 0);
  const bool phi_held = point_.phi <= 0 && gp >= 0;
  const double determinant = aa * pp - ap * ap;
  if (alpha_held || phi_held || !(determinant > 0)) {
    return within_bounds(point_.alpha + (alpha_held ? 0 : alone(ga, aa)),
                         point_.phi + (phi_held ? 0 : alone(gp, pp)));
  }
  return within_bounds(point_.alpha - (pp * ga - ap * gp) / determinant,
                       point_.phi - (aa * gp - ap * ga) / determinant);
}

void Descent::step() {
  if (converged_) return;
  const FieldPoint to = next();
  if (to.alpha == point_.alpha && to.phi == point_.phi) {
    converged_ = true;
    return;
  }
  const CurveError error = curve_error(theta_, distances_, wanted_, to);
  if (error.value < error_.value) {
    point_ = to;
    error_ = error;
    damping_ = std::max(damping_ / 8, smallest_damping);
  } else {
    damping_ *= 8;
    if (damping_ > largest_damping) converged_ = true;
  }
}

}  // namespace ropewalk::analysis
