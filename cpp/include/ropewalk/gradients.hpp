#pragma once

/// The gradients of a rotation: for a loss L and grad_y = dL/dy, dL by everything that y depends on.

#include <vector>

namespace ropewalk {

/// With phi the angle and u = magnitude * s the scale of a pair (a, b) -> (y_a, y_b) whose gradient is (g_a,
/// g_b): dL/dphi = g_b y_a - g_a y_b and dL/du = (g_a y_a + g_b y_b) / u, summed in float64. Each gradient is
/// of its number alone, the others held: where theta_j follow from alpha and rho, those of theta_j are in
/// `frequencies` all the same.
struct RopeGradients {
  /// Shape and strides of x, elements that the strides pass over 0: the rotation transposed, magnitude
  /// included. unrotate() is the inverse instead, the same only where the magnitude is 1.
  std::vector<float> x;
  /// dL/dtheta_j = sum of m dL/dphi over batch, tokens and the heads that share theta_j; as
  /// Rope::frequencies().
  std::vector<double> frequencies;
  /// dL/dm, one for each position that was given: [S] (summed over the batch), [B*S] or [axes*B*S]. Of a
  /// start: one per token, [S], summed over the batch and the axes. With xPos, its scale depends on m too and
  /// is included.
  std::vector<double> positions;
  /// dL/dmagnitude.
  double magnitude = 0;
  /// dL/dalpha of frequencies::ReceptiveField, as many as it has. Empty with other rules.
  std::vector<double> alpha;
  /// dL/drho of frequencies::ReceptiveField, as many as it has. Empty with other rules.
  std::vector<double> rho;
};

}  // namespace ropewalk
