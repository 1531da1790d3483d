#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ropewalk/sentence.hpp"

namespace ropewalk::sentence_modules {

/// One sequence: hidden states (T,C) and which of its tokens count, (T).
struct Tokens {
  const float* hidden;
  std::span<const std::uint8_t> counts;
  std::size_t width;  // C
};

/// out (C). 0 where no token counts, cls excepted.
void pool(Pooling pooling, float* out, const Tokens& tokens);

/// x (count) = x / max(|x|, 1e-12). The sum of squares is a float64 chain in the order of the entries.
void normalize(float* x, std::size_t count);

}  // namespace ropewalk::sentence_modules
