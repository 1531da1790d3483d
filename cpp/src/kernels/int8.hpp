#pragma once

// The interface of the integer product of encoders: weights of 8 bits with one scale per row, activations of 7 bits with one
// for each group of 64 columns, both rotated before they are rounded. The 32-bit sums of a group are exact.

#include <cstddef>
#include <cstdint>

namespace ropewalk::kernels {

/// Columns are taken in blocks of this many, the last one filled up with zeros.
inline constexpr std::size_t int8_block = 32;
template <class Size>
constexpr Size int8_columns(Size k) {
  return (k + int8_block - 1) / int8_block * int8_block;
}

/// Columns of activations that have one scale; the last group of a row may have fewer. The fewer there are, the smaller is
/// their largest number, which sets the step; each group costs its sums a multiplication.
inline constexpr std::size_t int8_group = 64;
template <class Size>
constexpr Size int8_groups(Size k) {
  return (k + int8_group - 1) / int8_group;
}

/// Every so many columns, of W and of A alike, are multiplied by a Hadamard matrix of that size (Sylvester's) before they
/// are rounded. It leaves products as they are, times its size, and spreads a column that is out of the ordinary over its
/// block, so that it no longer sets the step of all others. Wide rows are hidden layers of feed-forward networks, where a
/// few blocks may have nearly all: there blocks are larger. In blocks of more than 128 column i first changes its sign if
/// an odd number of the pairs of bits 2j and 2j + 1 of i (j from 0 to 4) are both set, or the mean of a block would become
/// one large number.
constexpr std::size_t int8_rotated(std::size_t k) {
  const std::size_t columns = int8_columns(k), power = columns & (~columns + 1),
                    most = columns > 2048 ? 1024 : 128;
  return power < most ? power : most;
}
/// Weights are whole numbers from -127 to 127, activations from -63 to 63: a sum of two products then fits 16 bits, which
/// is how the dot products of bytes add on some processors. Rounding weights costs more than rounding activations, whose
/// errors differ from token to token.
inline constexpr float int8_largest_weight = 127.0F, int8_largest_activation = 63.0F;

/// Rows [first, first + count) of a weight (N,K) as checkpoints hold it. With r a rotated row, it becomes
/// round(r / step), step being the largest |r| over int8_largest_weight; scale[n] is step / int8_rotated(K). A row that is
/// not finite has the scale NaN.
struct PackInt8Job {
  const float* w;  // (count,K)
  std::size_t first, count, k;
  std::int8_t* packed;  // 64-byte aligned, int8_size bytes; zeros where there are no rows
  float* scale;         // int8_weight_rows elements; zeros likewise
  float* scratch;       // 64-byte aligned: int8_columns(K) elements
  /// The rows are rotated whole numbers already, (count, int8_columns(K)): they stay, and every scale is 1.
  bool whole;
};

/// Row n of such a weight as it is multiplied, no longer rotated.
struct UnpackInt8Job {
  const std::int8_t* packed;
  const float* scale;
  std::size_t n, k;
  float* row;  // (K)
};

/// C (M,N) = A (M,K) W^T + bias. Groups of rotated rows of A become whole numbers times a scale, the largest of each being
/// int8_largest_activation.
struct Int8Job {
  const float* a;             // (M,K)
  const std::int8_t* packed;  // of the same table of kernels
  const float* scale;         // of the rows of W
  const float* bias;          // (N) or nullptr
  float* c;                   // (M,N)
  std::int32_t* rows;         // scratch, 64-byte aligned: int8_scratch(K) elements
  std::size_t m, n, k;
  std::size_t c_row = n;  // elements from a row of C to the next
};

/// Rows of A that are quantised at a time.
inline constexpr std::size_t int8_rows = 24;
/// Scratch of the rows: pairs of 16 bits, one rotated row, and the scales of their groups.
template <class Size>
constexpr Size int8_scratch(Size k) {
  return (int8_rows / 2 + 1) * int8_columns(k) + int8_rows * int8_groups(k);
}

/// The kernels of the product. A weight belongs to the kernels that packed it.
struct RowsKernels {
  void (*pack)(const PackInt8Job&) noexcept;
  void (*unpack)(const UnpackInt8Job&) noexcept;
  void (*gemm)(const Int8Job&) noexcept;
};

}  // namespace ropewalk::kernels
