#pragma once

// The gated delta rule in plain loops: the specification of nn/delta_rule.hpp.

#include <cmath>
#include <cstddef>
#include <vector>

#include "nn/delta_rule.hpp"

namespace ropewalk::reference {

/// As nn::delta_rule, and qkv stays.
template <class Real>
void delta_rule(Real* y, Real* state, const Real* qkv, const Real* decay, const Real* beta,
                const nn::DeltaRuleShape& shape) {
  const std::size_t d = shape.key_dim, e = shape.value_dim, heads = shape.value_heads;
  const std::size_t keys = shape.key_heads * d, width = 2 * keys + heads * e;
  const auto unit = [&](const Real* x) {
    Real sum = 1e-6;
    for (std::size_t i = 0; i < d; ++i) sum += x[i] * x[i];
    std::vector<Real> out(x, x + d);
    for (Real& each : out) each /= std::sqrt(sum);
    return out;
  };
  for (std::size_t t = 0; t < shape.tokens; ++t) {
    for (std::size_t h = 0; h < heads; ++h) {
      const Real* const row = qkv + t * width;
      const std::size_t key_head = h / (heads / shape.key_heads);
      const std::vector<Real> q = unit(row + key_head * d), k = unit(row + keys + key_head * d);
      Real* const held = state + h * d * e;
      for (std::size_t j = 0; j < e; ++j) {
        Real known = 0, out = 0;
        for (std::size_t i = 0; i < d; ++i) known += decay[t * heads + h] * held[i * e + j] * k[i];
        const Real change = beta[t * heads + h] * (row[2 * keys + h * e + j] - known);
        for (std::size_t i = 0; i < d; ++i) {
          Real& each = held[i * e + j];
          each = decay[t * heads + h] * each + k[i] * change;
          out += each * q[i];
        }
        y[t * shape.y_token + h * e + j] = out / std::sqrt(static_cast<Real>(d));
      }
    }
  }
}

}  // namespace ropewalk::reference
