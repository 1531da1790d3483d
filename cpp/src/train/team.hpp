// A few threads that do the items of one job at a time. Which thread does which item is left to chance, so
// items must not depend on each other.
//
//   Team team(2);
//   team.run(8, [&](std::size_t shard) { ... });   // returns when all eight are done
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace ropewalk::trainer {

class Team {
 public:
  // The caller of run is one of `threads`. In WebAssembly it is the only one.
  explicit Team(std::size_t threads);
  ~Team();

  template <class Work>
  void run(std::size_t items, Work&& work) {
    using Plain = std::remove_reference_t<Work>;
    do_all(items, {[](void* of, std::size_t item) { (*static_cast<Plain*>(of))(item); }, &work});
  }

 private:
  struct Job {
    void (*call)(void* work, std::size_t item);
    void* work;
  };
  struct Threads;
  void do_all(std::size_t items, Job job);
  std::unique_ptr<Threads> threads_;
};

}  // namespace ropewalk::trainer
