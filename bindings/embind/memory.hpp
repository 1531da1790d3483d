#pragma once

// Checks before a call begins. Data is in memory that answers with null where it cannot be had; what is small, such as a
// message or a list of layers, is in containers of the standard library, which abort then. For those a spare block is
// kept, which is given up when nothing else is left, and without which no call begins.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "last_error.hpp"

extern "C" {
void* ropewalk_allocate(double bytes);
void ropewalk_free(void* memory);
}

namespace ropewalk::embind {

/// Memory that lists and texts take while a model is made or saved.
constexpr std::size_t lists_of_a_model = std::size_t{1} << 20;

/// False, with the failure kept, where the spare block, or `bytes` in one piece, cannot be had.
bool have_memory(std::size_t bytes = 0);

/// Bytes of the module's memory that hold something: everything below the heap, and what is allocated of it. Natively 0, since
/// the memory is the process's.
std::uint64_t used_memory();

/// Bytes that can be had beyond the used ones, where a model needs so many: of WebAssembly the memory grows once, by that.
std::uint64_t memory_left_for(std::uint64_t bytes);

/// Memory that TypeScript writes to.
struct Release {
  void operator()(std::byte* memory) const { ropewalk_free(memory); }
};
using Placed = std::unique_ptr<std::byte, Release>;

/// nullptr where it cannot be had.
inline Placed place(std::size_t bytes) {
  return Placed(static_cast<std::byte*>(ropewalk_allocate(static_cast<double>(bytes))));
}

/// keep(work()), if there is memory to begin with.
template <class Work>
int guarded(const Work& work) {
  return have_memory() ? keep(work()) : error_code();
}

}  // namespace ropewalk::embind
