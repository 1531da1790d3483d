#pragma once

#include "model/pass.hpp"

namespace ropewalk::roformer {

/// From activations.dhidden (B,T,C), the gradient of the last layer's output, through layers and embeddings.
void encoder_backward(const Model& model, const Batch& batch, const Dropout& dropout,
                      Activations& activations, std::span<float> gradients);

/// Where the gradient of the parameter at `offset` is added up; nullptr for one that is absent.
inline float* gradient_at(std::span<float> gradients, std::uint64_t offset) {
  return offset == absent ? nullptr : gradients.data() + offset;
}

/// dx, dw and db of a linear layer whose weight lies at `linear`; dx may be nullptr.
void linear_layer_backward(const Model& model, const Linear& linear, float* dx, const float* dy,
                           const float* x, std::size_t m, float* scratch, std::span<float> gradients);

}  // namespace ropewalk::roformer
