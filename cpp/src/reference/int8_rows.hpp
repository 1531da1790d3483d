#pragma once

// Rows of the product with rotated 8-bit weights and 7-bit activations, as kernels/int8.hpp describes it, in plain float32.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ropewalk::reference {

/// A rotated row: whole numbers for each 32 columns that begin, and the steps of its groups, which turn them back. Blocks of
/// `size` were multiplied by a Hadamard matrix.
struct Rotated {
  std::vector<int> integers;
  std::vector<float> steps;
  std::size_t size;
};

/// A row with the largest number of each group of so many columns, or of the whole, at `largest`.
inline Rotated rotated(std::span<const float> row, float largest, std::size_t group = SIZE_MAX) {
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
  Rotated result{{}, {}, size};
  group = std::min(group, values.size());
  for (std::size_t at = 0; at < values.size(); at += group) {
    const auto part = std::span(values).subspan(at, std::min(group, values.size() - at));
    float most = 0;
    for (const float value : part) most = std::max(most, std::fabs(value));
    const float step = result.steps.emplace_back(most / largest), factor = step > 0 ? 1.0F / step : 0.0F;
    for (const float value : part)
      result.integers.push_back(static_cast<int>(std::nearbyint(value * factor)));
  }
  return result;
}

}  // namespace ropewalk::reference
