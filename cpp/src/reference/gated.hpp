#pragma once

// The gated feed-forward in plain loops: the specification of nn/gated.hpp.

#include <cstddef>

#include "reference/activation.hpp"

namespace ropewalk::reference {

/// y (M,F) = act(gate) * up.
template <class Real>
void gated_forward(nn::Activation which, Real* y, const Real* gate, const Real* up, std::size_t row,
                   std::size_t m, std::size_t f) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < f; ++j) y[i * f + j] = activation(which, gate[i * row + j]) * up[i * row + j];
  }
}

/// dgate and dup overwritten.
template <class Real>
void gated_backward(nn::Activation which, Real* dgate, Real* dup, const Real* dy, const Real* gate,
                    const Real* up, std::size_t row, std::size_t m, std::size_t f) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < f; ++j) {
      const std::size_t at = i * row + j;
      const Real out = dy[i * f + j], x = gate[at], factor = up[at];
      dgate[at] = out * factor * activation_derivative(which, x);
      dup[at] = out * activation(which, x);
    }
  }
}

}  // namespace ropewalk::reference
