#pragma once

#include <cstddef>

#include "nn/attention.hpp"
#include "nn/compute.hpp"

namespace ropewalk::model::position_encoding {

/// Attention that is linear in T, of one head: context_i = sum_j (q_i . k_j) v_j / denominator_i, where q and
/// k are feature maps with F numbers per token and the denominator is whatever the encoding takes. If causal, j runs up
/// to i. Where the denominator is below least_denominator, as where no key has been seen, the context is 0.
///
/// Strides are from token to token.
struct FeatureAttention {
  nn::Compute compute;
  std::size_t tokens, features, head_dim;
  const float *q, *k;  // (T,F)
  std::ptrdiff_t q_stride, k_stride;
  const float* v;  // (T,D)
  std::ptrdiff_t v_stride;
  const float* denominator;  // (T)
  std::ptrdiff_t denominator_stride;
  bool causal = false;
};

/// A sum of positive features below this is taken for none: its keys weigh nothing beside the largest of their
/// sequence, and what is left of them in float32 tells nothing.
inline constexpr float least_denominator = 1e-20F;

/// 1 / denominator of a token, or 0 where that is too small.
inline float inverse_denominator(const FeatureAttention& head, std::size_t token) {
  const float denominator = head.denominator[static_cast<std::ptrdiff_t>(token) * head.denominator_stride];
  return denominator < least_denominator ? 0 : 1 / denominator;
}

/// True if later tokens are hidden, by the shape or by a mask of pairs.
inline bool is_causal(const nn::AttentionShape& shape, const nn::AttentionTerms& terms) {
  return shape.causal || terms.pair_mask != nullptr;
}

std::size_t feature_attention_forward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim);
/// context (T,D), at context_stride. `scratch` is 64-byte aligned.
void feature_attention_forward(float* context, std::ptrdiff_t context_stride, const FeatureAttention& head,
                               float* scratch);

std::size_t feature_attention_weights_scratch(std::size_t tokens, std::size_t features);
/// weights (T,T): (q_i . k_j) / denominator_i, which may be negative. Takes T^2, for those who want to look.
void feature_attention_weights(float* weights, const FeatureAttention& head, float* scratch);

struct FeatureAttentionGradient {
  const float* dcontext;  // (T,D)
  std::ptrdiff_t dcontext_stride;
  // All out, with the strides of what they are gradients of.
  float *dq, *dk, *dv;
  std::ptrdiff_t dq_stride, dk_stride, dv_stride;
  float* ddenominator;
};

std::size_t feature_attention_backward_scratch(std::size_t tokens, std::size_t features,
                                               std::size_t head_dim);
void feature_attention_backward(const FeatureAttentionGradient& gradient, const FeatureAttention& head,
                                float* scratch);

}  // namespace ropewalk::model::position_encoding
