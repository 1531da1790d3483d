#pragma once

// Threads of the operating system for one model: the native way to lend threads (nn/threads.hpp).

#include <cstddef>
#include <memory>

#include "nn/threads.hpp"

namespace ropewalk::nn {

class Pool {
 public:
  /// Starts `threads` - 1 threads. `same_bits`: they compute as arch::SameBits has the calling thread compute.
  Pool(std::size_t threads, bool same_bits);
  /// In a process that was forked from the one that started the threads there are none to wait for.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  struct State;

 private:
  friend class Lent;
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
