#pragma once

// The linear layer in plain loops: the specification of nn/linear.hpp. Real is double as the oracle.

#include <cstddef>

namespace ropewalk::reference {

/// y (M,N) = x (M,K) w^T + b, with w (N,K) and b (N) or nullptr.
template <class Real>
void linear_forward(Real* y, const Real* x, const Real* w, const Real* b, std::size_t m, std::size_t k,
                    std::size_t n) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      Real sum = b == nullptr ? Real(0) : b[j];
      for (std::size_t c = 0; c < k; ++c) sum += x[i * k + c] * w[j * k + c];
      y[i * n + j] = sum;
    }
  }
}

/// dx (M,K) overwritten or nullptr, dw (N,K) and db (N, or nullptr) accumulated.
template <class Real>
void linear_backward(Real* dx, Real* dw, Real* db, const Real* dy, const Real* x, const Real* w,
                     std::size_t m, std::size_t k, std::size_t n) {
  for (std::size_t i = 0; dx != nullptr && i < m * k; ++i) dx[i] = Real(0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Real gradient = dy[i * n + j];
      for (std::size_t c = 0; c < k; ++c) {
        if (dx != nullptr) dx[i * k + c] += gradient * w[j * k + c];
        dw[j * k + c] += gradient * x[i * k + c];
      }
      if (db != nullptr) db[j] += gradient;
    }
  }
}

}  // namespace ropewalk::reference
