#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// Below this a job takes less than twenty times what waking the others does.
constexpr std::uint64_t least_multiplications = std::uint64_t{1} << 18;

/// Those of the thread that computes: two models may run at the same time, each with threads of its own.
constinit thread_local const Threads* lent = nullptr;

}  // namespace

void lend_threads(const Threads* threads) { lent = threads; }

const Threads* threads_for(std::uint64_t multiplications) {
  return lent != nullptr && lent->count > 1 && multiplications >= least_multiplications ? lent : nullptr;
}

}  // namespace ropewalk::nn
