#pragma once

// Cross-entropy in plain loops: the specification of nn/cross_entropy.hpp.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "nn/cross_entropy.hpp"

namespace ropewalk::reference {

/// Mean loss; dlogits (M,V) receives its gradient unless nullptr.
template <class Real>
Real cross_entropy(Real* dlogits, const Real* logits, const std::int32_t* labels, std::size_t m,
                   std::size_t v) {
  std::size_t counted = 0;
  for (std::size_t i = 0; i < m; ++i) counted += labels[i] == nn::ignored_label ? 0 : 1;
  Real loss = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const Real* row = logits + i * v;
    if (labels[i] == nn::ignored_label) {
      for (std::size_t j = 0; dlogits != nullptr && j < v; ++j) dlogits[i * v + j] = 0;
      continue;
    }
    Real largest = row[0], sum = 0;
    for (std::size_t j = 1; j < v; ++j) largest = row[j] > largest ? row[j] : largest;
    for (std::size_t j = 0; j < v; ++j) sum += std::exp(row[j] - largest);
    const auto label = static_cast<std::size_t>(labels[i]);
    loss += (largest + std::log(sum) - row[label]) / static_cast<Real>(counted);
    for (std::size_t j = 0; dlogits != nullptr && j < v; ++j) {
      dlogits[i * v + j] =
          (std::exp(row[j] - largest) / sum - (j == label ? 1 : 0)) / static_cast<Real>(counted);
    }
  }
  return loss;
}

}  // namespace ropewalk::reference
