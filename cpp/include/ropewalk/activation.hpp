#pragma once

#include <cstdint>

namespace ropewalk {

/// gelu: x/2 (1 + erf(x/sqrt 2)); gelu_tanh: its approximation by tanh, up to 4.8e-4 away; silu: x / (1 +
/// e^-x); sigmoid: 1 / (1 + e^-x); relu2: max(x, 0)^2. sigmoid and tanh are for gates and poolers, and no `hidden_act` names
/// them.
enum class Activation : std::uint8_t { gelu, gelu_tanh, relu, silu, linear, sigmoid, tanh, relu2 };

}  // namespace ropewalk
