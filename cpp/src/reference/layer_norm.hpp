#pragma once

// Layer normalisation in plain loops: the specification of nn/layer_norm.hpp.

#include <cmath>
#include <cstddef>

namespace ropewalk::reference {

/// y (M,N) = (x - mean) * rstd * gamma + beta, the variance biased.
template <class Real>
void layer_norm_forward(Real* y, Real* mean, Real* rstd, const Real* x, const Real* gamma, const Real* beta,
                        std::size_t m, std::size_t n, Real eps) {
  for (std::size_t i = 0; i < m; ++i) {
    Real sum = 0, squares = 0;
    for (std::size_t j = 0; j < n; ++j) sum += x[i * n + j];
    mean[i] = sum / static_cast<Real>(n);
    for (std::size_t j = 0; j < n; ++j) squares += (x[i * n + j] - mean[i]) * (x[i * n + j] - mean[i]);
    rstd[i] = Real(1) / std::sqrt(squares / static_cast<Real>(n) + eps);
    for (std::size_t j = 0; j < n; ++j) {
      y[i * n + j] = (x[i * n + j] - mean[i]) * rstd[i] * gamma[j] + beta[j];
    }
  }
}

/// dx (M,N) overwritten, dgamma (N) and dbeta (N) accumulated.
template <class Real>
void layer_norm_backward(Real* dx, Real* dgamma, Real* dbeta, const Real* dy, const Real* x,
                         const Real* gamma, const Real* mean, const Real* rstd, std::size_t m,
                         std::size_t n) {
  for (std::size_t i = 0; i < m; ++i) {
    Real sum = 0, product = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const Real normal = (x[i * n + j] - mean[i]) * rstd[i];
      const Real gradient = dy[i * n + j] * gamma[j];
      sum += gradient / static_cast<Real>(n);
      product += gradient * normal / static_cast<Real>(n);
      dgamma[j] += dy[i * n + j] * normal;
      dbeta[j] += dy[i * n + j];
    }
    for (std::size_t j = 0; j < n; ++j) {
      const Real normal = (x[i * n + j] - mean[i]) * rstd[i];
      dx[i * n + j] = rstd[i] * (dy[i * n + j] * gamma[j] - sum - normal * product);
    }
  }
}

}  // namespace ropewalk::reference
