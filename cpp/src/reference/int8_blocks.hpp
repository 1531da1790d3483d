#pragma once

// The product of 8-bit weights and 7-bit activations with a scale for each block of 32 columns, as
// kernels/int8_blocks.hpp describes it: integers and scales in float32, sums in float64.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ropewalk::reference {

/// Whole numbers, and a scale for each 32 of them.
struct InBlocks {
  std::vector<int> integers;
  std::vector<float> scales;
};

/// A row with its largest number in each block at `largest`.
inline InBlocks in_blocks(std::span<const float> row, float largest) {
  constexpr std::size_t size = 32;
  InBlocks result;
  for (std::size_t at = 0; at < row.size(); at += size) {
    const std::span<const float> block = row.subspan(at, std::min(size, row.size() - at));
    float most = 0;
    for (const float value : block) most = std::max(most, std::fabs(value));
    const float scale = most / largest, factor = scale > 0 ? 1.0F / scale : 0.0F;
    result.scales.push_back(scale);
    for (const float value : block)
      result.integers.push_back(static_cast<int>(std::nearbyint(value * factor)));
  }
  return result;
}

/// y (M,N) = x (M,K) w (N,K)^T
inline std::vector<double> linear_in_blocks(std::span<const float> x, std::span<const float> w, std::size_t m,
                                            std::size_t k, std::size_t n) {
  std::vector<double> y;
  std::vector<InBlocks> columns;
  for (std::size_t j = 0; j < n; ++j) columns.push_back(in_blocks(w.subspan(j * k, k), 127));
  for (std::size_t i = 0; i < m; ++i) {
    const InBlocks row = in_blocks(x.subspan(i * k, k), 63);
    for (const InBlocks& column : columns) {
      double sum = 0;
      for (std::size_t at = 0; at < k; ++at) {
        sum += double{row.scales[at / 32]} * column.scales[at / 32] * row.integers[at] * column.integers[at];
      }
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace ropewalk::reference
