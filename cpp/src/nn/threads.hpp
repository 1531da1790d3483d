#pragma once

// One operation on several threads. Without them one thread does all. Every element of a result is computed as one thread
// computes it, so that its bits do not depend on the number of threads.

#include <cstddef>
#include <cstdint>

#include "nn/compute.hpp"

namespace ropewalk::nn {

/// The threads for a job of so many multiplications, or nullptr where one thread alone should do it.
Threads* threads_for(Compute compute, std::uint64_t multiplications);

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
void in_rows(Compute compute, std::size_t rows, std::uint64_t multiplications, const Body& body) {
  Threads* const threads = threads_for(compute, rows * multiplications);
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
