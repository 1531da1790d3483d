#pragma once

// The interface of the integer product with a scale for each block of 32 columns: weights of 8 bits, as Q8_0 has them,
// and activations of 7. A column that is out of the ordinary spoils the steps of its own block alone.

#include <cstddef>
#include <cstdint>

namespace ropewalk::kernels {

/// Columns that share a scale, the last block filled up with zeros.
inline constexpr std::size_t scale_block = 32;
constexpr std::size_t scale_blocks(std::size_t k) { return (k + scale_block - 1) / scale_block; }

/// Weights are whole numbers from -127 to 127, activations from -63 to 63: a sum of two products then fits 16 bits, which
/// is how the dot products of bytes add on some processors.
inline constexpr float block_largest_weight = 127.0F, block_largest_activation = 63.0F;

/// Rows [first, first + count) of a weight (N,K) as checkpoints hold it. In each block w becomes round(w / scale), with
/// scale the largest |w| over block_largest_weight. A block that is not finite has the scale NaN.
struct PackBlocksJob {
  const float* w;  // (count,K)
  std::size_t first, count, k;
  std::int8_t* packed;  // 64-byte aligned, blocks_size bytes; zeros where there are no rows
  /// The rows are whole numbers already, from -127 to 127: they stay, and every scale is 1.
  bool whole;
};

/// Row n of such a weight as it is multiplied: each byte times its scale.
struct UnpackBlocksJob {
  const std::int8_t* packed;
  std::size_t n, k;
  float* row;  // (K)
};

/// Multiplies all scales of row n.
struct ScaleBlocksJob {
  std::int8_t* packed;
  std::size_t n, k;
  float factor;
};

/// C (M,N) = A (M,K) W^T + bias. In each block of A's rows a becomes round(a / scale), with scale the largest |a| over
/// block_largest_activation. With s the exact sum of a block's products, every element of C is one chain over ascending
/// blocks, c = c + s * (scale of W * scale of A), each operation rounded by itself, and the bias comes last: its bits
/// depend neither on M nor on the architecture.
struct BlocksJob {
  const float* a;             // (M,K)
  const std::int8_t* packed;  // of the same table of kernels
  const float* bias;          // (N) or nullptr
  float* c;                   // (M,N)
  std::int32_t* rows;         // scratch, 64-byte aligned, blocks_scratch elements
  std::size_t m, n, k;
  std::size_t c_row = n;  // elements from a row of C to the next
};

/// Rows of A that are quantised at a time.
inline constexpr std::size_t blocks_rows = 24;
/// Scratch of the rows: pairs of 16 bits, and scales.
constexpr std::size_t blocks_scratch(std::size_t k) {
  return blocks_rows * scale_blocks(k) * (scale_block / 2 + 1);
}

/// The kernels of the product. A weight belongs to the kernels that packed it.
struct BlocksKernels {
  void (*pack)(const PackBlocksJob&) noexcept;
  void (*unpack)(const UnpackBlocksJob&) noexcept;
  void (*scale)(const ScaleBlocksJob&) noexcept;
  void (*gemm)(const BlocksJob&) noexcept;
};

}  // namespace ropewalk::kernels
