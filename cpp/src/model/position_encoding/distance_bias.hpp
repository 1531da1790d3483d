#pragma once

// Shared by encodings whose bias of the scores depends on the head and the distance alone: a row of 2T - 1
// numbers per head, key minus query from -(T-1) to T-1, along which the rows of the (T,T) matrix slide.

#include "model/position_encoding/position_encoding.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {

inline std::size_t distance_count(std::size_t tokens) { return 2 * tokens - 1; }

/// Elements of the bias (H,2T-1), in whole lines of scratch.
inline std::size_t distance_bias_scratch(const nn::AttentionShape& shape) {
  return nn::scratch_lines(shape.heads * distance_count(shape.tokens));
}

inline nn::AttentionShape with_distance_bias(nn::AttentionShape shape) {
  shape.bias_strides = {
      .batch = 0, .head = static_cast<std::ptrdiff_t>(distance_count(shape.tokens)), .row = -1};
  return shape;
}

/// The pass with `bias` (H,2T-1) added to its scores.
inline Attention with_distance_bias(Attention pass, const float* bias) {
  pass.shape = with_distance_bias(pass.shape);
  pass.terms.bias = bias + pass.shape.tokens - 1;
  return pass;
}

}  // namespace ropewalk::model::position_encoding
