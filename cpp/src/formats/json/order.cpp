#include "formats/json/order.hpp"

#include <algorithm>
#include <numeric>

namespace ropewalk::json {

std::vector<std::uint32_t> sorted(std::size_t count, const void* context,
                                  bool (*before)(const void* context, std::uint32_t a, std::uint32_t b)) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return before(context, a, b); };
  std::make_heap(indices.begin(), indices.end(), less);
  std::sort_heap(indices.begin(), indices.end(), less);
  return indices;
}

}  // namespace ropewalk::json
