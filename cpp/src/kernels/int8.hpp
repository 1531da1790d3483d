#pragma once

// The interface of the integer product: 8-bit weights and activations with one scale per row, and 32-bit
// sums, which are exact.

#include <cstddef>
#include <cstdint>

namespace ropewalk::kernels {

/// Columns are taken in blocks of this many, the last one filled up with zeros.
inline constexpr std::size_t int8_block = 32;
constexpr std::size_t int8_columns(std::size_t k) { return (k + int8_block - 1) / int8_block * int8_block; }

/// Weights have 7 bits, from -63 to 63: a sum of two products with 8-bit activations then fits 16 bits, which is how the
/// dot products of bytes add on some processors.
inline constexpr float int8_largest_weight = 63.0F;

/// Rows [first, first + count) of a weight (N,K) as checkpoints hold it. Row n becomes round(w / scale[n]) with scale[n]
/// the largest |w| of it over int8_largest_weight. A row that is not finite has the scale NaN.
struct PackInt8Job {
  const float* w;  // (count,K)
  std::size_t first, count, k;
  std::int8_t* packed;  // 64-byte aligned, int8_size elements; zeros where there are no rows
  float* scale;         // int8_weight_rows elements; zeros likewise
};

/// Row n of such a weight as it is multiplied: each byte times the scale.
struct UnpackInt8Job {
  const std::int8_t* packed;
  const float* scale;
  std::size_t n, k;
  float* row;  // (K)
};

/// C (M,N) = A (M,K) W^T + bias. The rows of A are quantised to 8 bits in the same way as those of W.
struct Int8Job {
  const float* a;             // (M,K)
  const std::int8_t* packed;  // of the same table of kernels
  const float* scale;         // of the rows of W
  const float* bias;          // (N) or nullptr
  float* c;                   // (M,N)
  std::int32_t* rows;         // scratch, 64-byte aligned: int8_rows * int8_columns(K) / 2 elements
  std::size_t m, n, k;
  std::size_t c_row = n;  // elements from a row of C to the next
};

/// Rows of A that are quantised at a time.
inline constexpr std::size_t int8_rows = 24;

/// The kernels of the product. A weight belongs to the kernels that packed it.
struct RowsKernels {
  void (*pack)(const PackInt8Job&) noexcept;
  void (*unpack)(const UnpackInt8Job&) noexcept;
  void (*gemm)(const Int8Job&) noexcept;
};

}  // namespace ropewalk::kernels
