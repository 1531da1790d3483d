#pragma once

// The interface of the dense kernels: matrix product, softmax, norms, activations, optimiser. Plain
// pointers and counts, all float32 unless said; nothing is checked, nothing allocated. cpp/src/nn puts shapes
// on them.

#include <cstddef>
#include <cstdint>

#include "kernels/int8.hpp"
#include "kernels/int8_blocks.hpp"
#include "ropewalk/norm.hpp"

namespace ropewalk::kernels {

/// Packs a matrix B (K,N), element (k,n) at b[k * k_stride + n * n_stride], into panels of
/// DenseKernels::panel columns: panel by panel, within it row by row, the last one padded with zeros. A
/// weight (N,K) as checkpoints hold it has k_stride 1 and n_stride K; a matrix (K,N) has k_stride N and
/// n_stride 1.
struct PackJob {
  const float* b;
  std::ptrdiff_t k_stride, n_stride;
  float* packed;  // 64-byte aligned, packed_size elements
  std::size_t k, n;
};

/// C (M,N) = A (M,K) B (K,N) [+ bias (N)] [+ C]. Every element is one chain of multiply-adds over ascending k
/// that starts from bias or C, so its bits depend neither on the tiling nor on M and N.
struct GemmJob {
  const float* a;
  std::ptrdiff_t a_row, a_k;  // strides, one of them 1: A transposed is A with the two exchanged
  const float* b;             // packed by the same table of kernels
  const float* bias;          // (N) or nullptr
  float* c;
  std::ptrdiff_t c_row;
  std::size_t m, n, k;
  bool accumulate;  // start from C instead of from 0; with a bias, from their sum
  /// Rows of the packed matrix, where only the K from `b` on are multiplied; 0 means K. Row i of a packed
  /// matrix begins `panel` * i after its first element.
  std::size_t b_k = 0;
};

/// Softmax over the last axis of (rows, columns): y = softmax(scale * x + bias + mask).
struct SoftmaxJob {
  const float* x;
  std::ptrdiff_t x_row;
  float* y;  // may be x
  std::ptrdiff_t y_row;
  std::size_t rows, columns;
  float scale;
  const float* bias;  // (rows, columns) or nullptr
  std::ptrdiff_t bias_row;
  const float* mask;  // (columns), added to every row, or nullptr; -infinity gives exactly 0
  /// Row r takes columns [first + r, last + r) alone, as far as they exist; the others become 0, and so do all
  /// where none is left. With the same columns left the bits are those of a mask that hides the others.
  bool band = false;
  std::ptrdiff_t first = 0, last = 0;
};

/// dx = scale * y * (dy - sum(y * dy)), the gradient by x of SoftmaxJob; before the factor it is that of the
/// bias.
struct SoftmaxBackwardJob {
  const float* y;
  std::ptrdiff_t y_row;
  float* dy;  // becomes dx
  std::ptrdiff_t dy_row;
  std::size_t rows, columns;
  float scale;
  float* dbias;  // (rows, columns), accumulated, or nullptr
  std::ptrdiff_t dbias_row;
};

/// Normalises rows of n. The variance is taken in a second pass, since eps = 1e-12 does not hide the
/// cancellation of the one-pass formula.
struct NormJob {
  NormKind kind;
  const float* x;  // (M,N), x_row from row to row
  std::ptrdiff_t x_row;
  const float* residual;  // (M,N) dense, added to x first, or nullptr
  float* sum;             // (M,N) dense, x + residual, or nullptr; only with residual
  const float* gamma;     // (N), or nullptr: the gain is 1
  const float* beta;      // (N), or nullptr: 0
  float* y;               // (M,N), y_row from row to row; may be x
  std::ptrdiff_t y_row;
  float* mean;  // (M) or nullptr; 0 unless the kind is layer
  float* rstd;  // (M) or nullptr
  std::size_t m, n;
  float eps;
};

struct NormBackwardJob {
  NormKind kind;
  const float* dy;  // (M,N), dy_row from row to row
  std::ptrdiff_t dy_row;
  const float* x;  // (M,N), what was normalised, x_row from row to row
  std::ptrdiff_t x_row;
  const float* gamma;  // (N) or nullptr
  const float* mean;   // (M); read only if the kind is layer
  const float* rstd;   // (M)
  float* dx;           // (M,N), overwritten, dy_row from row to row; may be dy
  float* dgamma;       // (N), accumulated, or nullptr
  float* dbeta;        // (N), accumulated, or nullptr
  std::size_t m, n;
};

/// y (M,N) = act(gate) * up. gate and up have `row` elements from row to row; y is dense.
struct GatedJob {
  const float* gate;
  const float* up;
  std::ptrdiff_t row;
  float* y;
  std::size_t m, n;
};

/// dgate = dy * up * act'(gate), dup = dy * act(gate), with the rows of gate and up; they may be gate and up.
struct GatedBackwardJob {
  const float* dy;  // (M,N), dense
  const float* gate;
  const float* up;
  float* dgate;
  float* dup;
  std::ptrdiff_t row;
  std::size_t m, n;
};

/// AdamW (Loshchilov and Hutter 2019, algorithm 2) over `count` parameters; Adam with weight_decay 0.
struct AdamJob {
  float* parameter;
  const float* gradient;
  float* m;  // first moment
  float* v;  // second moment
  std::size_t count;
  float rate;
  float beta1, beta2, eps;
  float correction1, correction2;  // 1 / (1 - beta^step)
  float weight_decay;              // decoupled: parameter -= rate * weight_decay * parameter
  float gradient_scale;            // clipping and averaging, applied to the gradient first
};

/// y[i] = f(x[i]); y may be x.
using Map = void(const float* x, float* y, std::size_t count) noexcept;
/// dx[i] = dy[i] * f'(x[i]); dx may be dy.
using MapBackward = void(const float* x, const float* dy, float* dx, std::size_t count) noexcept;

/// No architecture has wider panels: what scratch must allow for.
inline constexpr std::size_t widest_panel = 32;

/// The order of ropewalk::nn::Activation.
inline constexpr std::size_t activation_count = 8;

struct DenseKernels {
  /// Columns of a packed panel.
  std::size_t panel;
  void (*pack)(const PackJob&) noexcept;
  void (*gemm)(const GemmJob&) noexcept;

  void (*softmax)(const SoftmaxJob&) noexcept;
  void (*softmax_backward)(const SoftmaxBackwardJob&) noexcept;
  void (*norm)(const NormJob&) noexcept;
  void (*norm_backward)(const NormBackwardJob&) noexcept;
  /// x = cap * tanh(scale * x / cap), in place.
  void (*soft_cap)(float* x, float scale, float cap, std::size_t count) noexcept;
  /// dy *= 1 - tanh(scale * x / cap)^2 with x as before soft_cap: the gradient of scale * x, in place.
  void (*soft_cap_backward)(const float* x, float scale, float cap, float* dy, std::size_t count) noexcept;
  /// log(sum(exp(x))) of one row, by its maximum first.
  float (*log_sum_exp)(const float* x, std::size_t count) noexcept;

  Map* activation[activation_count];
  MapBackward* activation_backward[activation_count];
  void (*gated[activation_count])(const GatedJob&) noexcept;
  void (*gated_backward[activation_count])(const GatedBackwardJob&) noexcept;
  Map* exp;
  Map* erf;
  Map* tanh;

  /// y = factor * exp(x - shift); y may be x
  void (*exp_shifted)(const float* x, float shift, float factor, float* y, std::size_t count) noexcept;

  /// y += x
  void (*add)(const float* x, float* y, std::size_t count) noexcept;
  /// y += a * x
  void (*axpy)(float a, const float* x, float* y, std::size_t count) noexcept;
  /// y = a * x; y may be x
  void (*scale)(float a, const float* x, float* y, std::size_t count) noexcept;
  /// sum (N) += the rows of x (M,N): the gradient of a bias
  void (*add_rows)(const float* x, float* sum, std::size_t m, std::size_t n) noexcept;
  void (*adam)(const AdamJob&) noexcept;
  /// Sum of squares, in float64.
  double (*sum_squares)(const float* x, std::size_t count) noexcept;

  /// Elements that packing B (K,N) takes, a multiple of 4.
  constexpr std::size_t packed_size(std::size_t k, std::size_t n) const {
    return (n + panel - 1) / panel * panel * k;
  }
};

/// Rows that a weight of N rows of 8 bits has room for: whole panels, whatever the architecture of the product.
constexpr std::size_t int8_weight_rows(std::size_t n) {
  return (n + widest_panel - 1) / widest_panel * widest_panel;
}
/// Bytes that a weight (N,K) of 8 bits takes: integers, and where the sums of each group of a row start.
template <class Size>
constexpr Size int8_row_bytes(Size k) {
  return int8_columns(k) + int8_groups(k) * sizeof(std::int32_t);
}
constexpr std::size_t int8_size(std::size_t k, std::size_t n) {
  return int8_weight_rows(n) * int8_row_bytes(k);
}
/// The same with a scale for each block of 32 columns, in which the scales are.
constexpr std::size_t blocks_row_bytes(std::size_t k) {
  return scale_blocks(k) * (scale_block + sizeof(float));
}
constexpr std::size_t blocks_size(std::size_t k, std::size_t n) {
  return int8_weight_rows(n) * blocks_row_bytes(k);
}

}  // namespace ropewalk::kernels
