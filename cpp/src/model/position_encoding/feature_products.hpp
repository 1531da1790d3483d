#pragma once

// The parts of which attention over feature maps is made, causal or not.

#include <cstddef>

#include "model/position_encoding/feature_attention.hpp"
#include "model/position_encoding/packed_product.hpp"

namespace ropewalk::model::position_encoding {

/// dden_i = -dcontext_i . num_i / den_i^2 = -q_i . dq_i / den_i, once dq is there.
void gradient_of_denominator(const FeatureAttentionGradient& gradient, const FeatureAttention& head);

std::size_t causal_forward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim);
void causal_forward(float* context, std::ptrdiff_t context_stride, const FeatureAttention& head,
                    float* scratch);
std::size_t causal_backward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim);
void causal_backward(const FeatureAttentionGradient& gradient, const FeatureAttention& head, float* scratch);

}  // namespace ropewalk::model::position_encoding
