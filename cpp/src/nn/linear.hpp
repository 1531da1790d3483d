#pragma once

// y = x W^T + b, the layer that takes nearly all the time. A weight is packed once, for the architecture in
// use then.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "kernels/kernels.hpp"
#include "nn/compute.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::nn {

/// The form in which a packed weight is kept.
enum class WeightForm : std::uint8_t {
  float32,
  /// 8 bits, rotated, a scale for each row: kernels/int8.hpp.
  int8_rows,
  /// 8 bits, a scale for each 32 columns of a row: kernels/int8_blocks.hpp.
  int8_blocks,
};

/// A weight (N,K) in the order in which the matrix product reads it. It keeps the kernels it was packed for,
/// so that a later arch::use does not read it wrongly.
class PackedWeight {
 public:
  /// `weight` (N,K): N outputs, K inputs, as checkpoints hold it. May be called again, e.g. after a step of
  /// training; with the same sizes nothing is allocated then. Keeps the old contents when memory cannot be
  /// had.
  Status pack(Compute compute, const float* weight, std::size_t n, std::size_t k);
  /// `matrix` (K,N), the transposed orientation.
  Status pack_transposed(Compute compute, const float* matrix, std::size_t k, std::size_t n);
  /// `weight` (N,K) in 8 bits, with a scale for each row; linear_forward alone takes it then, from one thread
  /// at a time. Inputs are rounded to 1/63 of the largest of 64 rotated ones.
  Status pack_int8(Compute compute, const float* weight, std::size_t n, std::size_t k);

  /// Memory for a weight (N,K) whose rows come by set_rows, in any order.
  Status reserve(Compute compute, std::size_t n, std::size_t k, WeightForm form);
  /// Rows [first, first + count) of the weight, (count,K). `whole`: they are the integers that are multiplied, to which
  /// multiply_scales will give their scales; in WeightForm::int8_rows (count, kernels::int8_columns(K)).
  void set_rows(std::size_t first, std::size_t count, const float* rows, bool whole = false);
  /// Multiplies the scales of rows from `first` on, of a weight in 8 bits.
  void multiply_scales(std::size_t first, std::span<const float> factors);
  /// Outputs [first, first + count) of x (K), in 8 bits, into those places of y. `first` is that of a panel. From one thread
  /// at a time.
  void elements(float* y, const float* x, std::size_t first, std::size_t count) const {
    multiply(y, x, nullptr, {0, 1, first, count, n_}, rows_.data());
  }
  /// Row n as it is multiplied, (K).
  void row(std::size_t n, float* out) const;
  /// Memory that reserve takes, in bytes.
  static std::uint64_t bytes_of(Compute compute, std::uint64_t n, std::uint64_t k, WeightForm form);

  std::size_t n() const { return n_; }
  std::size_t k() const { return k_; }
  WeightForm form() const { return form_; }
  const float* data() const { return packed_.data(); }
  const kernels::DenseKernels& kernels() const { return *kernels_; }

 private:
  friend void linear_forward(Compute compute, float* y, const float* x, const PackedWeight& weight,
                             const float* bias, std::size_t m, std::size_t n);
  /// Rows [row, row + rows) and columns [column, column + columns) of a product. The first column is that of a whole panel
  /// of any architecture. A row of the whole product has `all` columns.
  struct Piece {
    std::size_t row, rows, column, columns, all;
  };
  /// `scratch` as rows_.
  void multiply(float* y, const float* x, const float* bias, const Piece& piece, std::int32_t* scratch) const;
  Status pack_strided(Compute compute, const float* b, std::ptrdiff_t k_stride, std::ptrdiff_t n_stride,
                      std::size_t n, std::size_t k);
  Buffer<float> packed_;
  Buffer<std::int8_t> bytes_;          // in 8 bits, and in blocks the scales among them
  Buffer<float> scales_;               // of the rows, unless in blocks
  mutable Buffer<std::int32_t> rows_;  // inputs in 8 bits, a few at a time
  WeightForm form_ = WeightForm::float32;
  std::size_t n_ = 0, k_ = 0;
  const kernels::DenseKernels* kernels_ = nullptr;
  const kernels::Int8Kernels* int8_ = nullptr;
};

/// y (M,N) = x (M,K) W^T + bias (N), with the first N outputs of the weight. `bias` may be nullptr. y is not x.
void linear_forward(Compute compute, float* y, const float* x, const PackedWeight& weight, const float* bias,
                    std::size_t m, std::size_t n);
/// The same with all of them.
inline void linear_forward(Compute compute, float* y, const float* x, const PackedWeight& weight,
                           const float* bias, std::size_t m) {
  linear_forward(compute, y, x, weight, bias, m, weight.n());
}

/// Elements of scratch that linear_backward needs.
std::size_t linear_backward_scratch(std::size_t m, std::size_t k, std::size_t n);

/// dx (M,K) = dy W, overwritten, or nullptr; dw (N,K) += dy^T x; db (N) += column sums of dy, or nullptr.
/// dy (M,N), x (M,K), w (N,K) unpacked. `scratch` is 64-byte aligned.
void linear_backward(Compute compute, float* dx, float* dw, float* db, const float* dy, const float* x,
                     const float* w, std::size_t m, std::size_t k, std::size_t n, float* scratch);

}  // namespace ropewalk::nn
