#pragma once

// One operation on several threads. Without them one thread does all. Every element of a result is computed as one thread
// computes it, so that its bits do not depend on the number of threads.

#include <cstddef>
#include <cstdint>

namespace ropewalk::nn {

/// Does part `index` of a job. `thread`, below Threads::count, has the scratch memory of that number to itself. It may
/// neither allocate nor begin a job of its own.
using Part = void (*)(const void* job, std::size_t index, std::size_t thread) noexcept;

/// Natively those of a pool (nn/pool.hpp), in WebAssembly workers that run this code in the same memory
/// (bindings/embind/threads.cpp).
class Threads {
 public:
  constexpr explicit Threads(std::size_t count) : count_(count) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// Threads, with the caller.
  std::size_t count() const { return count_; }
  /// Does the parts from 0 to `parts`, in any order and each by whoever is free, and returns when all are done.
  virtual void run(Part part, const void* job, std::size_t parts) = 0;
  /// Makes each thread's scratch memory at least so large; false where the memory cannot be had.
  virtual bool reserve(std::size_t bytes) = 0;
  /// Scratch memory of a thread, 64-byte aligned. It stays until the next reserve.
  virtual void* scratch(std::size_t thread) = 0;

 protected:
  ~Threads() = default;

  std::size_t count_;
};

/// Lends threads to the calling thread from now on, or none. They must stay.
void lend_threads(Threads* threads);

/// While one lives, these threads do parts of what its thread computes. nullptr lends nothing.
class Lent {
 public:
  explicit Lent(Threads* threads) { lend_threads(threads); }
  ~Lent() { lend_threads(nullptr); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
};

/// The threads for a job of so many multiplications, or nullptr where one thread alone should do it.
Threads* threads_for(std::uint64_t multiplications);

/// Calls body(index, thread) for each part.
template <class Body>
void in_parts(Threads& threads, std::size_t parts, const Body& body) {
  threads.run([](const void* job, std::size_t index,
                 std::size_t thread) noexcept { (*static_cast<const Body*>(job))(index, thread); },
              &body, parts);
}

/// Parts of a job that has so many equal steps: as many for each thread, up to four, so that a slow one may have fewer. A
/// part has at least so many steps where there are enough for all threads.
constexpr std::size_t parts_of(std::size_t steps, std::size_t threads, std::size_t least = 1) {
  const std::size_t rounds = steps / (least * threads);
  if (rounds == 0) return steps < threads ? steps : threads;
  return threads * (rounds < 4 ? rounds : 4);
}

/// The first step of a part; that of part `parts` is the end.
constexpr std::size_t first_step(std::size_t steps, std::size_t part, std::size_t parts) {
  return steps * part / parts;
}

/// Calls body(first row, rows) until all rows are done, which are independent: by several threads where a row, which takes
/// as long as so many multiplications, makes that worth while.
template <class Body>
void in_rows(std::size_t rows, std::uint64_t multiplications, const Body& body) {
  Threads* const threads = threads_for(rows * multiplications);
  if (threads == nullptr) return body(0, rows);
  const std::size_t parts = parts_of(rows, threads->count());
  in_parts(*threads, parts, [&](std::size_t part, std::size_t) {
    const std::size_t first = first_step(rows, part, parts);
    body(first, first_step(rows, part + 1, parts) - first);
  });
}

/// Multiplications of a product that take as long as an element of another operation.
inline constexpr std::uint64_t activation_cost = 16, norm_cost = 8, addition_cost = 4;

}  // namespace ropewalk::nn
