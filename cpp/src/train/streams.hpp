#pragma once

// The random numbers that a seed is forked into.

#include <cstdint>

namespace ropewalk::trainer {

inline constexpr std::uint64_t weights_stream = 1, dropout_stream = 2;

}  // namespace ropewalk::trainer
