#include "model/position_encoding/feature_attention.hpp"

#include <algorithm>

#include "model/position_encoding/feature_products.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

std::size_t packed_state(std::size_t features, std::size_t head_dim) {
  return std::max(nn::packed_scratch(features, head_dim), nn::packed_scratch(head_dim, features));
}

/// state (F,D) = sum_j k_j v_j^T. `packed` (T,D)
void sum_state(float* state, float* packed, const FeatureAttention& head) {
  pack(head.compute, packed, head.v, head.v_stride, 1, head.tokens, head.head_dim);
  product(head.compute, state, static_cast<std::ptrdiff_t>(head.head_dim), head.k, 1, head.k_stride, packed,
          head.features, head.head_dim, head.tokens);
}

}  // namespace

std::size_t feature_attention_forward_scratch(std::size_t tokens, std::size_t features,
                                              std::size_t head_dim) {
  return std::max(nn::packed_scratch(tokens, head_dim) + packed_state(features, head_dim) +
                      nn::scratch_lines(features * head_dim),
                  causal_forward_scratch(tokens, features, head_dim));
}

void feature_attention_forward(float* context, std::ptrdiff_t context_stride, const FeatureAttention& head,
                               float* scratch) {
  if (head.causal) return causal_forward(context, context_stride, head, scratch);
  const std::size_t tokens = head.tokens, features = head.features, head_dim = head.head_dim;
  float* const packed_v = scratch;                                        // (T,D)
  float* const packed = packed_v + nn::packed_scratch(tokens, head_dim);  // (F,D)
  float* const state = packed + packed_state(features, head_dim);         // (F,D)
  sum_state(state, packed_v, head);
  pack(head.compute, packed, state, static_cast<std::ptrdiff_t>(head_dim), 1, features, head_dim);
  product(head.compute, context, context_stride, head.q, head.q_stride, 1, packed, tokens, head_dim,
          features);
  for (std::size_t t = 0; t < tokens; ++t) {
    float* const row = context + static_cast<std::ptrdiff_t>(t) * context_stride;
    head.compute.dense().scale(inverse_denominator(head, t), row, row, head_dim);
  }
}

std::size_t feature_attention_weights_scratch(std::size_t tokens, std::size_t features) {
  return nn::packed_scratch(features, tokens);
}

void feature_attention_weights(float* weights, const FeatureAttention& head, float* scratch) {
  const std::size_t tokens = head.tokens;
  pack(head.compute, scratch, head.k, 1, head.k_stride, head.features, tokens);
  product(head.compute, weights, static_cast<std::ptrdiff_t>(tokens), head.q, head.q_stride, 1, scratch,
          tokens, tokens, head.features);
  for (std::size_t t = 0; t < tokens; ++t) {
    float* const row = weights + t * tokens;
    head.compute.dense().scale(inverse_denominator(head, t), row, row, tokens);
    if (head.causal) std::fill(row + t + 1, row + tokens, 0.0F);
  }
}

std::size_t feature_attention_backward_scratch(std::size_t tokens, std::size_t features,
                                               std::size_t head_dim) {
  return std::max(nn::packed_scratch(tokens, head_dim) + packed_state(features, head_dim) +
                      nn::scratch_lines(features * head_dim) + nn::scratch_lines(tokens * head_dim),
                  causal_backward_scratch(tokens, features, head_dim));
}

void gradient_of_denominator(const FeatureAttentionGradient& gradient, const FeatureAttention& head) {
  for (std::size_t t = 0; t < head.tokens; ++t) {
    const auto token = static_cast<std::ptrdiff_t>(t);
    const float *q = head.q + token * head.q_stride, *dq = gradient.dq + token * gradient.dq_stride;
    const float denominator = head.denominator[token * head.denominator_stride];
    double dot = 0;
    for (std::size_t f = 0; f < head.features; ++f) dot += double{q[f]} * dq[f];
    gradient.ddenominator[token * head.denominator_stride] =
        denominator < least_denominator ? 0 : static_cast<float>(-dot / double{denominator});
  }
}

// num_i = q_i state and context_i = num_i / den_i, so with dnum_i = dcontext_i / den_i:
//   dq = dnum state^T, dstate = q^T dnum, dk = v dstate^T, dv = k dstate,
//   dden_i = -dcontext_i . num_i / den_i^2 = -q_i . dq_i / den_i
void feature_attention_backward(const FeatureAttentionGradient& gradient, const FeatureAttention& head,
                                float* scratch) {
  if (head.causal) return causal_backward(gradient, head, scratch);
  const std::size_t tokens = head.tokens, features = head.features, head_dim = head.head_dim;
  const auto state_row = static_cast<std::ptrdiff_t>(head_dim);
  float* const packed_rows = scratch;                                        // (T,D)
  float* const packed = packed_rows + nn::packed_scratch(tokens, head_dim);  // (D,F) or (F,D)
  float* const state = packed + packed_state(features, head_dim);            // (F,D)
  float* const dnum = state + nn::scratch_lines(features * head_dim);        // (T,D)
  sum_state(state, packed_rows, head);
  for (std::size_t t = 0; t < tokens; ++t) {
    head.compute.dense().scale(inverse_denominator(head, t),
                               gradient.dcontext + static_cast<std::ptrdiff_t>(t) * gradient.dcontext_stride,
                               dnum + t * head_dim, head_dim);
  }
  pack(head.compute, packed, state, 1, state_row, head_dim, features);
  product(head.compute, gradient.dq, gradient.dq_stride, dnum, state_row, 1, packed, tokens, features,
          head_dim);
  gradient_of_denominator(gradient, head);
  // From here on `state` holds its own gradient.
  pack(head.compute, packed_rows, dnum, state_row, 1, tokens, head_dim);
  product(head.compute, state, state_row, head.q, 1, head.q_stride, packed_rows, features, head_dim, tokens);
  pack(head.compute, packed, state, 1, state_row, head_dim, features);
  product(head.compute, gradient.dk, gradient.dk_stride, head.v, head.v_stride, 1, packed, tokens, features,
          head_dim);
  pack(head.compute, packed, state, state_row, 1, features, head_dim);
  product(head.compute, gradient.dv, gradient.dv_stride, head.k, head.k_stride, 1, packed, tokens, head_dim,
          features);
}

}  // namespace ropewalk::model::position_encoding
