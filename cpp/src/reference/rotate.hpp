#pragma once

// The specification of rotation in code: float64, one pair at a time, cos and sin from the C library.

#include <cmath>
#include <cstddef>

#include "ropewalk/pairing.hpp"

namespace ropewalk::reference {

/// The two channels of pair j among d = 2 * pairs.
inline std::size_t first_channel(Pairing pairing, std::size_t, std::size_t j) {
  return pairing == Pairing::interleaved ? 2 * j : j;
}
inline std::size_t second_channel(Pairing pairing, std::size_t pairs, std::size_t j) {
  return pairing == Pairing::interleaved ? 2 * j + 1 : j + pairs;
}

/// One head: x, y (2 * pairs), at position m.
template <class In, class Out>
void rotate_head(const In* x, Out* y, double m, const double* theta, double magnitude, std::size_t pairs,
                 Pairing pairing) {
  for (std::size_t j = 0; j < pairs; ++j) {
    const double phi = m * theta[j], c = magnitude * std::cos(phi), s = magnitude * std::sin(phi);
    const std::size_t first = first_channel(pairing, pairs, j), second = second_channel(pairing, pairs, j);
    const double a = x[first], b = x[second];
    y[first] = static_cast<Out>(a * c - b * s);
    y[second] = static_cast<Out>(a * s + b * c);
  }
}

}  // namespace ropewalk::reference
