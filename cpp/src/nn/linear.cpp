#include "nn/linear.hpp"

#include <algorithm>

#include "arch/select.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::nn {

Status PackedWeight::pack(const float* weight, std::size_t n, std::size_t k) {
  return pack_strided(weight, 1, static_cast<std::ptrdiff_t>(k), n, k);
}

Status PackedWeight::pack_transposed(const float* matrix, std::size_t k, std::size_t n) {
  return pack_strided(matrix, static_cast<std::ptrdiff_t>(n), 1, n, k);
}

Status PackedWeight::pack_strided(const float* b, std::ptrdiff_t k_stride, std::ptrdiff_t n_stride,
                                  std::size_t n, std::size_t k) {
  const kernels::DenseKernels& kernels = arch::active().dense;
  const Status status = packed_.reserve(kernels.packed_size(k, n), "PackedWeight::pack");
  if (!status.ok()) return status;
  kernels.pack({b, k_stride, n_stride, packed_.data(), k, n});
  n_ = n;
  k_ = k;
  kernels_ = &kernels;
  return {};
}

Status PackedWeight::pack_int8(const float* weight, std::size_t n, std::size_t k) {
  const kernels::DenseKernels& kernels = arch::active().dense;
  const char* const what = "PackedWeight::pack_int8";
  const std::size_t rows = (n + kernels.panel - 1) / kernels.panel * kernels.panel;
  for (Status status : {bytes_.reserve(kernels.int8_size(k, n), what), scales_.reserve(rows, what),
                        rows_.reserve(kernels::int8_rows * kernels::int8_columns(k) / 2, what)}) {
    if (!status.ok()) return status;
  }
  kernels.pack_int8({weight, n, k, bytes_.data(), scales_.data()});
  n_ = n;
  k_ = k;
  kernels_ = &kernels;
  return {};
}

void linear_forward(float* y, const float* x, const PackedWeight& weight, const float* bias, std::size_t m) {
  const std::size_t n = weight.n(), k = weight.k();
  if (weight.bytes_.size() != 0) {
    weight.kernels().gemm_int8({.a = x,
                                .packed = weight.bytes_.data(),
                                .scale = weight.scales_.data(),
                                .bias = bias,
                                .c = y,
                                .rows = weight.rows_.data(),
                                .m = m,
                                .n = n,
                                .k = k});
    return;
  }
  weight.kernels().gemm({.a = x,
                         .a_row = static_cast<std::ptrdiff_t>(k),
                         .a_k = 1,
                         .b = weight.data(),
                         .bias = bias,
                         .c = y,
                         .c_row = static_cast<std::ptrdiff_t>(n),
                         .m = m,
                         .n = n,
                         .k = k,
                         .accumulate = false});
}

std::size_t linear_backward_scratch(std::size_t m, std::size_t k, std::size_t n) {
  return packed_scratch(std::max(m, n), k);
}

void linear_backward(float* dx, float* dw, float* db, const float* dy, const float* x, const float* w,
                     std::size_t m, std::size_t k, std::size_t n, float* scratch) {
  const kernels::DenseKernels& kernels = arch::active().dense;
  const auto wide = static_cast<std::ptrdiff_t>(k), narrow = static_cast<std::ptrdiff_t>(n);
  if (dx != nullptr) {  // (M,K) = dy (M,N) w (N,K)
    kernels.pack({w, wide, 1, scratch, n, k});
    kernels.gemm({.a = dy,
                  .a_row = narrow,
                  .a_k = 1,
                  .b = scratch,
                  .bias = nullptr,
                  .c = dx,
                  .c_row = wide,
                  .m = m,
                  .n = k,
                  .k = n,
                  .accumulate = false});
  }
  // (N,K) += dy^T (N,M) x (M,K)
  kernels.pack({x, wide, 1, scratch, m, k});
  kernels.gemm({.a = dy,
                .a_row = 1,
                .a_k = narrow,
                .b = scratch,
                .bias = nullptr,
                .c = dw,
                .c_row = wide,
                .m = n,
                .n = k,
                .k = m,
                .accumulate = true});
  if (db != nullptr) kernels.add_rows(dy, db, m, n);
}

}  // namespace ropewalk::nn
