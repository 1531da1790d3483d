#pragma once

// Gradient descent on a receptive field's squared error, one evaluation at a time, within 0 <= phi <= alpha
// <= 1. The gradient is preconditioned by the damped Gauss-Newton matrix (Levenberg 1944, Marquardt 1963). A
// step that does not lower the error is undone, and the damping grows.

#include <span>

#include "rope/analysis/curve_error.hpp"

namespace ropewalk::analysis {

class Descent {
 public:
  Descent() = default;
  Descent(std::span<const double> theta, std::span<const double> distances, std::span<const double> wanted,
          FieldPoint start);

  void step();
  /// No step lowers the error any further.
  bool converged() const { return converged_; }
  FieldPoint point() const { return point_; }
  /// Mean of r^2 / 2.
  double error() const { return error_.value; }

 private:
  FieldPoint next() const;

  std::span<const double> theta_, distances_, wanted_;
  FieldPoint point_;
  CurveError error_;
  double damping_ = 1e-3;
  bool converged_ = false;
};

}  // namespace ropewalk::analysis
