// Memory for tensors and for copies of JavaScript arrays.

#include <emscripten/emscripten.h>

#include <cstddef>
#include <cstdlib>
#include <limits>


namespace {

// As ropewalk::Buffer: a vector load never crosses a cache line.
constexpr std::size_t alignment = 64;

}  // namespace

extern "C" {

/// Uninitialised; 0 when it cannot be had. The size is a double so that sizes beyond 32 bits arrive
/// as what they are.
EMSCRIPTEN_KEEPALIVE void* ropewalk_allocate(double bytes) {
  void* memory = nullptr;
  if (bytes <= static_cast<double>(std::numeric_limits<std::size_t>::max() / 2)) {
    const auto size = static_cast<std::size_t>(bytes) + (bytes < 1 ? 1 : 0);
    memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  return memory;
}

EMSCRIPTEN_KEEPALIVE void ropewalk_free(void* memory) { std::free(memory); }
}
