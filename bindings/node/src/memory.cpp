// As bindings/embind/memory.cpp, in the process's memory and the region of the module that is called.

#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "call.hpp"
#include "export.hpp"
#include "instance.hpp"
#include "threads.hpp"

namespace ropewalk::embind {

bool have_memory(std::size_t bytes) {
  // Room for small lists. Where even that cannot be had, operator new throws, and addon.cpp makes an error of it.
  void* const probe = std::malloc(std::max(bytes, std::size_t{64} << 10));
  asm volatile("" : : "r"(probe) : "memory");
  std::free(probe);
  if (probe == nullptr) keep_no_memory();
  return probe != nullptr;
}

std::uint64_t used_memory() { return 0; }

/// The system says only when it is asked for them, and then Buffer does.
std::uint64_t memory_left_for(std::uint64_t) { return std::numeric_limits<std::uint64_t>::max(); }

Threads* threads() { return &node::current().pool; }

Call& call() { return *static_cast<Call*>(node::current().call); }

}  // namespace ropewalk::embind

extern "C" {

ROPEWALK_EXPORT(void*, ropewalk_allocate, double bytes) {
  using ropewalk::node::Region;
  if (!(bytes <= static_cast<double>(Region::limit))) return nullptr;
  return ropewalk::node::current().region.allocate(static_cast<std::size_t>(bytes));
}

ROPEWALK_EXPORT(void, ropewalk_free, void* memory) { ropewalk::node::current().region.free(memory); }

/// Bytes of the region that are allocated now, without the block of hot calls, which the module always has.
ROPEWALK_EXPORT(double, ropewalk_heap_bytes) {
  using ropewalk::embind::Call;
  using ropewalk::node::Region;
  constexpr std::size_t block =
      (sizeof(Call) + Region::alignment - 1) / Region::alignment * Region::alignment;
  return static_cast<double>(ropewalk::node::current().region.used() - block);
}

/// So many threads, with the calling one, do large jobs of the module from now on.
ROPEWALK_EXPORT(void, ropewalk_use_threads, std::uint32_t count) {
  ropewalk::node::current().pool.resize(std::max(count, 1U));
}
}
