#pragma once

// Rows of the product with rotated 8-bit weights and 7-bit activations, as kernels/int8.hpp describes it, in plain float32.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ropewalk::reference {

/// A rotated row: whole numbers for each 32 columns that begin, and the step that turns them back. Blocks of `size` were
/// multiplied by a Hadamard matrix.
struct Rotated {
  std::vector<int> integers;
  float step;
  std::size_t size;
};

/// A row with its largest number at `largest`.
inline Rotated rotated(std::span<const float> row, float largest) {
  std::vector<float> values(row.begin(), row.end());
  values.resize((row.size() + 31) / 32 * 32);
  const bool wide = values.size() > 2048;
  if (wide && values.size() % 256 == 0) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t bit = 0; bit < 10; bit += 2) {
        if (i >> bit & 1 && i >> (bit + 1) & 1) values[i] = -values[i];
      }
    }
  }
  std::size_t size = 1;
  for (; size < (wide ? 1024 : 128) && values.size() % (2 * size) == 0; size *= 2) {
    const std::vector<float> before = values;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = i / size % 2 == 0 ? before[i] + before[i + size] : before[i - size] - before[i];
  }
  float most = 0;
  for (const float value : values) most = std::max(most, std::fabs(value));
  Rotated result{{}, most / largest, size};
  const float factor = result.step > 0 ? 1.0F / result.step : 0.0F;
  for (const float value : values)
    result.integers.push_back(static_cast<int>(std::nearbyint(value * factor)));
  return result;
}

}  // namespace ropewalk::reference
