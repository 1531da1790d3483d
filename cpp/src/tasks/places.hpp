// Random places that keep their distance from each other: those where a sequence asks.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.hpp"

namespace ropewalk::task {

// `count` ascending places in [0, size), each at least `gap` after the one before. All such choices are as
// likely, so that the mirror image of one is as likely as itself. size must be at least (count - 1) * gap
// + 1.
std::vector<std::size_t> spread_places(Random& random, std::size_t size, std::size_t count, std::size_t gap);

}  // namespace ropewalk::task
