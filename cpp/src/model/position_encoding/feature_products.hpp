#pragma once

// The products of which attention over feature maps is made, causal or not.

#include <cstddef>

#include "model/position_encoding/feature_attention.hpp"

namespace ropewalk::model::position_encoding {

// Some thirty calls: modules that are loaded by pages have each function once.

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

/// dden_i = -dcontext_i . num_i / den_i^2 = -q_i . dq_i / den_i, once dq is there.
void gradient_of_denominator(const FeatureAttentionGradient& gradient, const FeatureAttention& head);

std::size_t causal_forward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim);
void causal_forward(float* context, std::ptrdiff_t context_stride, const FeatureAttention& head,
                    float* scratch);
std::size_t causal_backward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim);
void causal_backward(const FeatureAttentionGradient& gradient, const FeatureAttention& head, float* scratch);

}  // namespace ropewalk::model::position_encoding
