#pragma once

// Normalisation in plain loops: the specification of nn/norm.hpp.

#include <cmath>
#include <cstddef>

#include "kernels/dense.hpp"

namespace ropewalk::reference {

/// gamma and beta (N) may be nullptr.
template <class Real>
struct Norm {
  NormKind kind;
  const Real* gamma;
  const Real* beta;
  Real eps;

  Real gain(std::size_t j) const {
    if (gamma == nullptr) return Real(1);
    return kind == NormKind::rms_plus_one ? 1 + gamma[j] : gamma[j];
  }
};

/// y (M,N) = (x - mean) * rstd * gain + beta, the variance biased; the mean is 0 unless the kind is layer.
template <class Real>
void norm_forward(Real* y, Real* mean, Real* rstd, const Real* x, const Norm<Real>& norm, std::size_t m,
                  std::size_t n) {
  for (std::size_t i = 0; i < m; ++i) {
    Real sum = 0, squares = 0;
    for (std::size_t j = 0; j < n; ++j) sum += x[i * n + j];
    mean[i] = norm.kind == NormKind::layer ? sum / static_cast<Real>(n) : Real(0);
    for (std::size_t j = 0; j < n; ++j) squares += (x[i * n + j] - mean[i]) * (x[i * n + j] - mean[i]);
    rstd[i] = Real(1) / std::sqrt(squares / static_cast<Real>(n) + norm.eps);
    for (std::size_t j = 0; j < n; ++j) {
      y[i * n + j] =
          (x[i * n + j] - mean[i]) * rstd[i] * norm.gain(j) + (norm.beta == nullptr ? Real(0) : norm.beta[j]);
    }
  }
}

/// dx (M,N) overwritten; dgamma (N) and dbeta (N) accumulated, or nullptr.
template <class Real>
void norm_backward(Real* dx, Real* dgamma, Real* dbeta, const Real* dy, const Real* x, const Norm<Real>& norm,
                   const Real* mean, const Real* rstd, std::size_t m, std::size_t n) {
  for (std::size_t i = 0; i < m; ++i) {
    Real sum = 0, product = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const Real normal = (x[i * n + j] - mean[i]) * rstd[i];
      const Real gradient = dy[i * n + j] * norm.gain(j);
      if (norm.kind == NormKind::layer) sum += gradient / static_cast<Real>(n);
      product += gradient * normal / static_cast<Real>(n);
      if (dgamma != nullptr) dgamma[j] += dy[i * n + j] * normal;
      if (dbeta != nullptr) dbeta[j] += dy[i * n + j];
    }
    for (std::size_t j = 0; j < n; ++j) {
      const Real normal = (x[i * n + j] - mean[i]) * rstd[i];
      dx[i * n + j] = rstd[i] * (dy[i * n + j] * norm.gain(j) - sum - normal * product);
    }
  }
}

}  // namespace ropewalk::reference
