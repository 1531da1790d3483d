#pragma once

// The gated feed-forward between its two products: y = act(gate) * up (Shazeer 2020). gate and up (M,F) have
// `row` elements from row to row: F where each has a product of its own, 2F where one product makes both.
// Then one of them begins at the product and the other F elements later, whichever order the checkpoint has.

#include <cstddef>

#include "nn/activation.hpp"

namespace ropewalk::nn {

/// y (M,F), dense. It may be what begins a product of both: its rows then move together.
void gated_forward(Compute compute, Activation activation, float* y, const float* gate, const float* up,
                   std::size_t row, std::size_t m, std::size_t f);

/// dgate and dup, with the rows of gate and up, are overwritten; they may be gate and up. dy (M,F) is dense.
void gated_backward(Compute compute, Activation activation, float* dgate, float* dup, const float* dy,
                    const float* gate, const float* up, std::size_t row, std::size_t m, std::size_t f);

}  // namespace ropewalk::nn
