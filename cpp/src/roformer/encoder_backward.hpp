#pragma once

#include "roformer/pass.hpp"

namespace ropewalk::roformer {

/// From activations.dhidden (B,T,C), the gradient of the last layer's output, through layers and embeddings.
void encoder_backward(const Model& model, const Batch& batch, const Dropout& dropout,
                      Activations& activations, std::span<float> gradients);

/// dx, dw and db of a linear layer whose weight lies at `linear`; dx may be nullptr.
void linear_layer_backward(const Model& model, const Linear& linear, float* dx, const float* dy,
                           const float* x, std::size_t m, float* scratch, std::span<float> gradients);

}  // namespace ropewalk::roformer
