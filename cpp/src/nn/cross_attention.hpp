#pragma once

// Attention of one sequence to another: a decoder's queries to the hidden states of an encoder. Nothing is causal here,
// and the two lengths may differ.

#include <cstddef>
#include <cstdint>

#include "nn/compute.hpp"

namespace ropewalk::nn {

/// B sequences with Q queries and K keys each, of H heads with D numbers.
struct CrossAttentionShape {
  std::size_t batch, queries, keys, heads, head_dim;
  float scale;
  // From token to token.
  std::size_t query_stride, key_stride, value_stride;
};

std::size_t cross_attention_forward_scratch(const CrossAttentionShape& shape);
/// context (B,Q,H,D) and probs (B,H,Q,K) from q (B,Q,H,D), k and v (B,K,H,D), each with its stride. key_mask (B,K): 0 is
/// padding, which no query sees unless all keys of its sequence are; nullptr: none is.
void cross_attention_forward(Compute compute, float* context, float* probs, const float* q, const float* k,
                             const float* v, const std::uint8_t* key_mask, const CrossAttentionShape& shape,
                             float* scratch);

std::size_t cross_attention_backward_scratch(const CrossAttentionShape& shape);
/// dq, dk and dv, with the strides of q, k and v, are overwritten.
void cross_attention_backward(Compute compute, float* dq, float* dk, float* dv, const float* dcontext,
                              const float* probs, const float* q, const float* k, const float* v,
                              const CrossAttentionShape& shape, float* scratch);

}  // namespace ropewalk::nn
