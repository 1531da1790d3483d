#pragma once

// Root-mean-square normalisation without parameters in plain loops: what nn/layer_norm.hpp does without
// gamma.

#include <cmath>
#include <cstddef>

namespace ropewalk::reference {

/// y (M,N) = x * rstd with rstd (M) = 1 / sqrt(mean(x^2) + eps).
template <class Real>
void rms_norm_forward(Real* y, Real* rstd, const Real* x, std::size_t m, std::size_t n, Real eps) {
  for (std::size_t i = 0; i < m; ++i) {
    Real squares = 0;
    for (std::size_t j = 0; j < n; ++j) squares += x[i * n + j] * x[i * n + j];
    rstd[i] = Real(1) / std::sqrt(squares / static_cast<Real>(n) + eps);
    for (std::size_t j = 0; j < n; ++j) y[i * n + j] = x[i * n + j] * rstd[i];
  }
}

/// dx (M,N) overwritten.
template <class Real>
void rms_norm_backward(Real* dx, const Real* dy, const Real* x, const Real* rstd, std::size_t m,
                       std::size_t n) {
  for (std::size_t i = 0; i < m; ++i) {
    Real product = 0;
    for (std::size_t j = 0; j < n; ++j)
      product += dy[i * n + j] * x[i * n + j] * rstd[i] / static_cast<Real>(n);
    for (std::size_t j = 0; j < n; ++j)
      dx[i * n + j] = rstd[i] * (dy[i * n + j] - x[i * n + j] * rstd[i] * product);
  }
}

}  // namespace ropewalk::reference
