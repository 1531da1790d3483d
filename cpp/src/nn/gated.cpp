#include "nn/gated.hpp"

#include "arch/select.hpp"

namespace ropewalk::nn {

void gated_forward(Activation activation, float* y, const float* gate, const float* up, std::size_t row,
                   std::size_t m, std::size_t f) {
  arch::active().dense.gated[static_cast<std::size_t>(activation)](
      {.gate = gate, .up = up, .row = static_cast<std::ptrdiff_t>(row), .y = y, .m = m, .n = f});
}

void gated_backward(Activation activation, float* dgate, float* dup, const float* dy, const float* gate,
                    const float* up, std::size_t row, std::size_t m, std::size_t f) {
  arch::active().dense.gated_backward[static_cast<std::size_t>(activation)](
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
