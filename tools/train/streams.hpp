// Streams of the recipe's seed.
#pragma once

#include <cstdint>

namespace ropewalk::train {

inline constexpr std::uint64_t training_stream = 1, held_out_stream = 2, drawn_stream = 3;

}  // namespace ropewalk::train
