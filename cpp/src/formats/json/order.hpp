#pragma once

// Sorting by one compiled function: std::sort takes several kilobytes for each type and comparison.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ropewalk::json {

std::vector<std::uint32_t> sorted(std::size_t count, const void* context,
                                  bool (*before)(const void* context, std::uint32_t a, std::uint32_t b));

/// The indices 0..count-1 in the order in which before(a, b) says that index a comes before index b.
template <class Before>
std::vector<std::uint32_t> sorted(std::size_t count, const Before& before) {
  return sorted(count, &before, [](const void* context, std::uint32_t a, std::uint32_t b) {
    return static_cast<const Before*>(context)->operator()(a, b);
  });
}

}  // namespace ropewalk::json
