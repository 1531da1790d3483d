#pragma once

// Products of matrices of which one is packed, for encodings that multiply by more than the model's weights.

#include <cstddef>

#include "nn/compute.hpp"

namespace ropewalk::model::position_encoding {

// Some thirty calls: a module that a page loads contains each function once.

/// c (M,N) = a (M,K) b (K,N), or added to it, with b packed.
[[gnu::noinline]] inline void product(nn::Compute compute, float* c, std::ptrdiff_t c_row, const float* a,
                                      std::ptrdiff_t a_row, std::ptrdiff_t a_k, const float* b, std::size_t m,
                                      std::size_t n, std::size_t k, bool accumulate = false) {
  compute.dense().gemm({.a = a,
                        .a_row = a_row,
                        .a_k = a_k,
                        .b = b,
                        .bias = nullptr,
                        .c = c,
                        .c_row = c_row,
                        .m = m,
                        .n = n,
                        .k = k,
                        .accumulate = accumulate});
}

[[gnu::noinline]] inline void pack(nn::Compute compute, float* packed, const float* b,
                                   std::ptrdiff_t k_stride, std::ptrdiff_t n_stride, std::size_t k,
                                   std::size_t n) {
  compute.dense().pack({b, k_stride, n_stride, packed, k, n});
}

}  // namespace ropewalk::model::position_encoding
