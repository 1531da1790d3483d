#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nn/attention.hpp"

namespace ropewalk::model::position_encoding {

/// The mask of keys (T) of one sequence, 0 for padding, for attention that is a sum over keys. nullptr if none is
/// padding, or all are: such a sequence attends to all of them.
inline const std::uint8_t* padding(const nn::AttentionTerms& terms, std::size_t batch, std::size_t tokens) {
  if (terms.key_mask == nullptr) return nullptr;
  const std::uint8_t* keys = terms.key_mask + batch * tokens;
  return std::any_of(keys, keys + tokens, [](std::uint8_t key) { return key != 0; }) ? keys : nullptr;
}

}  // namespace ropewalk::model::position_encoding
