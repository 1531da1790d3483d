#pragma once

// Checks before a call begins. Data is in memory that answers with null where it cannot be had; what is small, such as a
// message or a list of layers, is in containers of the standard library, which abort then. For those a spare block is
// kept, which is given up when nothing else is left, and without which no call begins.

#include <cstddef>

#include "last_error.hpp"

namespace ropewalk::embind {

/// Memory that lists and texts take while a model is made or saved.
constexpr std::size_t lists_of_a_model = std::size_t{1} << 20;

/// False, with the failure kept, where the spare block, or `bytes` in one piece, cannot be had.
bool have_memory(std::size_t bytes = 0);

/// keep(work()), if there is memory to begin with.
template <class Work>
int guarded(const Work& work) {
  return have_memory() ? keep(work()) : error_code();
}

}  // namespace ropewalk::embind
