#pragma once

// Threads of the operating system. A model's are lent to what it computes (nn/threads.hpp); a trainer's do shards of a batch.
// In WebAssembly a pool has the calling thread alone, and the host lends workers instead.

#include <cstddef>
#include <memory>
#include <type_traits>

#include "nn/threads.hpp"

namespace ropewalk::nn {

class Pool {
 public:
  /// Starts `threads` - 1 threads. They compute as arch::SameBits has the thread compute whose job it is.
  explicit Pool(std::size_t threads);
  /// In a process that was forked from the one that started the threads there are none to wait for.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Calls work(item) for each item, in any order and on any of the threads, of which the caller is one. Returns when all
  /// are done. What they compute is lent no threads.
  template <class Work>
  void run(std::size_t items, const Work& work) {
    run([](const void* of, std::size_t item,
           std::size_t) noexcept { (*static_cast<const std::remove_reference_t<Work>*>(of))(item); },
        &work, items);
  }

  struct State;

 private:
  friend class Lent;
  void run(Part part, const void* job, std::size_t parts);
  std::unique_ptr<State> state_;
};

/// While one lives, the pool's threads do parts of what its thread computes. nullptr lends nothing.
class Lent {
 public:
  explicit Lent(Pool* pool);
  ~Lent();
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
};

}  // namespace ropewalk::nn
