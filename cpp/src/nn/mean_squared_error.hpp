#pragma once

// Mean squared error of one value per row.

#include <cstddef>

#include "nn/loss.hpp"

namespace ropewalk::nn {

/// Mean of (values - targets)^2 over M rows, all of which count and none of which is correct or wrong.
Loss mean_squared_error_forward(const float* values, const float* targets, std::size_t m);

/// dvalues (M) = factor * 2 (values - targets) / counted; dvalues may be values.
void mean_squared_error_backward(float* dvalues, const float* values, const float* targets,
                                 std::size_t counted, float factor, std::size_t m);

}  // namespace ropewalk::nn
