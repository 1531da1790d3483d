#pragma once

// Mean cross-entropy over labelled rows.

#include <cstddef>
#include <cstdint>

#include "nn/compute.hpp"
#include "nn/loss.hpp"

namespace ropewalk::nn {

/// logits (M,V), labels (M); log_sum_exp (M) receives what the backward pass needs, or is nullptr. With `smoothing` s the
/// target is 1 - s for the label and s / V for each class besides.
Loss cross_entropy_forward(Compute compute, float* log_sum_exp, const float* logits,
                           const std::int32_t* labels, std::size_t m, std::size_t v, float smoothing = 0);

/// dlogits (M,V) = factor * (softmax - target) / counted, 0 in ignored rows; dlogits may be logits. `factor`
/// is the gradient of the loss, 1 at the end of the network.
void cross_entropy_backward(Compute compute, float* dlogits, const float* logits, const float* log_sum_exp,
                            const std::int32_t* labels, std::size_t counted, float factor, std::size_t m,
                            std::size_t v, float smoothing = 0);

}  // namespace ropewalk::nn
