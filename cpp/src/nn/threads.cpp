#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// Below this a job takes less than twenty times what waking the others does.
constexpr std::uint64_t least_multiplications = std::uint64_t{1} << 18;

}  // namespace

// Once in a module that pages load, and not in each of its callers.
[[gnu::noinline]] Threads* threads_for(Compute compute, std::uint64_t multiplications) {
  Threads* const threads = compute.threads();
  const bool is_worth_while = multiplications >= least_multiplications;
  return threads != nullptr && threads->count() > 1 && is_worth_while ? threads : nullptr;
}

}  // namespace ropewalk::nn
