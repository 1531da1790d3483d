#pragma once

// Threads of the operating system. A model's are lent to what it computes (nn/threads.hpp); a trainer's do shards of a batch.
// In WebAssembly a pool has the calling thread alone, and the host lends workers instead.

#include <cstddef>
#include <memory>

#include "nn/threads.hpp"

namespace ropewalk::nn {

class Pool final : public Threads {
 public:
  /// Starts `threads` - 1 threads. They compute as arch::SameBits has the thread compute whose job it is.
  explicit Pool(std::size_t threads);
  /// In a process that was forked from the one that started the threads there are none to wait for.
  ~Pool();

  void run(Part part, const void* job, std::size_t parts) override;
  bool reserve(std::size_t bytes) override;
  void* scratch(std::size_t thread) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk::nn
