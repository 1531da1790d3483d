#include "nn/gated.hpp"

#include <algorithm>

#include "nn/threads.hpp"

namespace ropewalk::nn {

void gated_forward(Compute compute, Activation activation, float* y, const float* gate, const float* up,
                   std::size_t row, std::size_t m, std::size_t f) {
  const auto kernel = compute.dense().gated[static_cast<std::size_t>(activation)];
  // Where y is the beginning of the product, row i of y is in row i / 2 of that, so that as many rows as are done
  // already may be done at the same time.
  const std::size_t alone = threads_for(compute, m * f * activation_cost) == nullptr ? m : (m + 15) / 16;
  for (std::size_t begin = 0; begin < m;) {
    const std::size_t count = std::min(std::max(begin, alone), m - begin);
    const auto rows = [&](std::size_t first, std::size_t some) {
      first += begin;
      kernel({.gate = gate + first * row,
              .up = up + first * row,
              .row = static_cast<std::ptrdiff_t>(row),
              .y = y + first * f,
              .m = some,
              .n = f});
    };
    begin == 0 ? rows(0, count) : in_rows(compute, count, f * activation_cost, rows);
    begin += count;
  }
}

void gated_backward(Compute compute, Activation activation, float* dgate, float* dup, const float* dy,
                    const float* gate, const float* up, std::size_t row, std::size_t m, std::size_t f) {
  compute.dense().gated_backward[static_cast<std::size_t>(activation)](
      {.dy = dy,
       .gate = gate,
       .up = up,
       .dgate = dgate,
       .dup = dup,
       .row = static_cast<std::ptrdiff_t>(row),
       .m = m,
       .n = f});
}

}  // namespace ropewalk::nn
