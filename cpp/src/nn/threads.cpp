#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// Below this a job takes less than twenty times what waking the others does.
constexpr std::uint64_t least_multiplications = std::uint64_t{1} << 18;

/// Those of the thread that computes: natively two models may run at the same time, each with threads of its own. In a
/// module of WebAssembly one thread computes, and a plain variable lets a module that lends none leave this code out.
#if defined(__EMSCRIPTEN__)
constinit Threads* lent = nullptr;
#else
constinit thread_local Threads* lent = nullptr;
#endif

}  // namespace

void lend_threads(Threads* threads) { lent = threads; }

Threads* threads_for(std::uint64_t multiplications) {
  return lent != nullptr && lent->count() > 1 && multiplications >= least_multiplications ? lent : nullptr;
}

}  // namespace ropewalk::nn
