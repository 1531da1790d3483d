#pragma once

// The activations that checkpoints name, forward and backward.

#include <cstddef>
#include <string>
#include <string_view>

#include "nn/compute.hpp"
#include "ropewalk/activation.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::nn {

using ropewalk::Activation;

/// From Hugging Face's name: gelu, gelu_python; gelu_new, gelu_pytorch_tanh, gelu_fast; relu; silu, swish;
/// linear; relu2. Anything else is a Status of the wrong type that lists these.
Result<Activation> activation_from_name(std::string_view name);
/// All names, as a message lists them.
std::string activation_names();
/// The name to write into a configuration.
std::string_view activation_name(Activation activation);

/// y[i] = f(x[i]); y may be x where no backward pass follows.
void activation_forward(Compute compute, Activation activation, float* y, const float* x, std::size_t count);
/// dx[i] = dy[i] f'(x[i]) with x the input of the forward pass; dx may be dy.
void activation_backward(Compute compute, Activation activation, float* dx, const float* dy, const float* x,
                         std::size_t count);

}  // namespace ropewalk::nn
