// Memory for tensors and for copies of JavaScript arrays, and the spare block of memory.hpp.

#include "memory.hpp"

#include <emscripten/heap.h>
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#include "export.hpp"

extern "C" const char __heap_base;

namespace ropewalk::embind {
namespace {

// As ropewalk::Buffer: a vector load never crosses a cache line.
constexpr std::size_t alignment = 64;
constexpr std::size_t spare_bytes = std::size_t{64} << 10;

void* spare = nullptr;

/// Called by operator new where memory cannot be had; then it tries again.
void give_up_spare() {
  std::set_new_handler(nullptr);
  std::free(spare);
  spare = nullptr;
}

bool have_spare() {
  if (spare != nullptr) return true;
  spare = std::malloc(spare_bytes);
  if (spare == nullptr) return false;
  std::set_new_handler(&give_up_spare);
  return true;
}

}  // namespace

bool have_memory(std::size_t bytes) {
  if (have_spare()) {
    if (bytes == 0) return true;
    void* probe = std::malloc(bytes);
    // Compilers leave out an allocation whose memory nobody looks at.
    asm volatile("" : : "r"(probe) : "memory");
    std::free(probe);
    if (probe != nullptr) return true;
  }
  keep_no_memory();
  return false;
}

std::uint64_t used_memory() {
  return reinterpret_cast<std::uintptr_t>(&__heap_base) + static_cast<std::size_t>(mallinfo().uordblks);
}

std::uint64_t memory_left_for(std::uint64_t bytes) {
  void* const probe = std::malloc(static_cast<std::size_t>(bytes));
  asm volatile("" : : "r"(probe) : "memory");
  std::free(probe);
  const std::uint64_t most = probe != nullptr ? emscripten_get_heap_max() : emscripten_get_heap_size();
  return most - used_memory();
}

}  // namespace ropewalk::embind

extern "C" {

/// Uninitialised; 0 when it cannot be had. The size is a double so that sizes beyond 32 bits arrive
/// as what they are.
ROPEWALK_EXPORT(void*, ropewalk_allocate, double bytes) {
  using ropewalk::embind::alignment;
  void* memory = nullptr;
  if (bytes <= static_cast<double>(std::numeric_limits<std::size_t>::max() / 2)) {
    const auto size = static_cast<std::size_t>(bytes) + (bytes < 1 ? 1 : 0);
    memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  return memory;
}

ROPEWALK_EXPORT(void, ropewalk_free, void* memory) { std::free(memory); }

/// Bytes that are allocated now, without the spare block, so that a leak shows; the memory itself never shrinks.
ROPEWALK_EXPORT(double, ropewalk_heap_bytes) {
  using namespace ropewalk::embind;
  const std::size_t kept = spare == nullptr ? 0 : malloc_usable_size(spare);
  return static_cast<double>(static_cast<std::size_t>(mallinfo().uordblks) - kept);
}

// The linker takes the C library's timer along for this function, which nobody calls: a table of signals, and 1 KB of
// JavaScript with timeouts.
void _emscripten_timeout(int, double) {}
}
