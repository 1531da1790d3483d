#pragma once

// For encodings that attend one sequence of the batch at a time, so that what they make of it exists once.

#include <cstddef>

#include "nn/attention.hpp"

namespace ropewalk::model::position_encoding {

/// The shape of a single sequence; `number` gives each its own dropout.
inline nn::AttentionShape of_sequence(nn::AttentionShape shape, std::size_t number) {
  shape.batch = 1;
  shape.seed += number * 0x9e3779b97f4a7c15u;
  return shape;
}

/// The terms of sequence b; scores (H,T,T) are those of its heads from `first_head` on.
inline nn::AttentionTerms of_sequence(nn::AttentionTerms terms, const nn::AttentionShape& shape,
                                      std::size_t b, std::size_t first_head = 0) {
  const std::size_t tokens = shape.tokens;
  if (terms.key_mask != nullptr) terms.key_mask += b * tokens;
  if (terms.pair_mask != nullptr && terms.mask_per_batch) terms.pair_mask += b * tokens * tokens;
  if (terms.scores != nullptr) terms.scores += (b * shape.heads + first_head) * tokens * tokens;
  return terms;
}

}  // namespace ropewalk::model::position_encoding
