#pragma once

// The squared error of a receptive field's mean kernel against a given curve, and its gradient with respect
// to theta*.

#include <span>

namespace ropewalk::analysis {

/// theta*_j = phi + (1 - alpha) theta_j, 0 <= phi <= alpha <= 1. The curve is much closer to linear in phi =
/// alpha / 10000^rho than in rho, so the fit moves phi.
struct FieldPoint {
  double alpha = 0, phi = 0;
  static constexpr double largest_rho = 8;
  static FieldPoint from_rho(double alpha, double rho);
  /// From 0 to largest_rho. It is 0 where alpha is 0, since rho then has no effect.
  double rho() const;
};

/// At one point: E is the mean of r^2 / 2 over the distances, with r = K(n) - wanted; and its derivatives.
struct CurveError {
  double value = 0;
  double d_alpha = 0, d_phi = 0;
  /// The Gauss-Newton matrix: the mean of dK dK^T.
  double alpha_alpha = 0, alpha_phi = 0, phi_phi = 0;
};

/// theta is [d/2], without the receptive field. distances and wanted have the same length.
///   K(n) = (2/d) sum_j cos(n theta*_j),  dK/dtheta*_j = -(2/d) n sin(n theta*_j)
///   dtheta*_j/dalpha = -theta_j,  dtheta*_j/dphi = 1
CurveError curve_error(std::span<const double> theta, std::span<const double> distances,
                       std::span<const double> wanted, FieldPoint at);

}  // namespace ropewalk::analysis
