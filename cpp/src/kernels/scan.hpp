#pragma once

// Sums of products of one row of 16-bit integers with many rows of 8-bit integers: a query beside an index.

#include <cstddef>
#include <cstdint>

namespace ropewalk::kernels {

/// Columns of a row are a multiple of this, which the widest vector of codes divides.
inline constexpr std::size_t scan_columns = 32;

/// sums[r] = sum over c of query[c] * codes[r, c]. No sum of absolute products may reach 2^31.
struct ScanJob {
  const std::int16_t* query;  // [columns], 64-byte aligned
  const std::int8_t* codes;   // [rows, columns], 64-byte aligned
  std::size_t rows, columns;
  std::int32_t* sums;  // [rows]
};

struct ScanKernels {
  void (*sums)(const ScanJob& job) noexcept;
};

}  // namespace ropewalk::kernels
