#pragma once

// Inverted dropout. The mask is a hash of seed and index, so that it is never stored: the backward pass,
// another thread or another architecture computes the same.

#include <cstddef>
#include <cstdint>

namespace ropewalk::nn {

/// True if element `index` is kept with probability `keep`.
bool dropout_keeps(std::uint64_t seed, std::uint64_t index, float keep);

/// y[i] = kept ? x[i] / keep : 0, with the index of x[0] being `first`; y may be x. The gradient is the same
/// function of dy: call it with the same seed, keep and first.
void dropout(float* y, const float* x, std::size_t count, float keep, std::uint64_t seed,
             std::uint64_t first = 0);

}  // namespace ropewalk::nn
