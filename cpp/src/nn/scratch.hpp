#pragma once

// Sizes of the parts of a scratch buffer. Each part starts on a cache line; panels count as wide as the
// widest architecture has them, so that a size computed under one architecture does under another.

#include <cstddef>

#include "kernels/dense.hpp"

namespace ropewalk::nn {

/// `count` floats, rounded up to whole cache lines.
constexpr std::size_t scratch_lines(std::size_t count) { return (count + 15) / 16 * 16; }

/// A packed matrix (K,N).
constexpr std::size_t packed_scratch(std::size_t k, std::size_t n) {
  return (n + kernels::widest_panel - 1) / kernels::widest_panel * kernels::widest_panel * k;
}

}  // namespace ropewalk::nn
