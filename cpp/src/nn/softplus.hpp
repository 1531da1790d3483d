#pragma once

// softplus(x) = ln(1 + e^x), by the same steps on every machine.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "nn/compute.hpp"

namespace ropewalk::nn {

/// ln(1 + z) for z from 0 to 1, as 2 artanh(z / (2 + z)): within 1e-9 of the sum.
inline float log_of_one_plus(float z) {
  const float s = z / (2 + z), square = s * s;
  float sum = 0;
  for (int i = 17; i > 1; i -= 2) sum = (sum + 1.0F / static_cast<float>(i)) * square;
  return 2 * (s + s * sum);
}

/// y = max(x, 0) + ln(1 + e^-|x|), and its slope 1 / (1 + e^-x). y may be x; slope is neither.
inline void softplus(Compute compute, float* y, float* slope, const float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) slope[i] = -std::fabs(x[i]);
  compute.dense().exp(slope, slope, count);
  for (std::size_t i = 0; i < count; ++i) {
    const float value = x[i], e = slope[i];
    y[i] = std::max(value, 0.0F) + log_of_one_plus(e);
    slope[i] = (value < 0 ? e : 1.0F) / (1.0F + e);
  }
}

}  // namespace ropewalk::nn
