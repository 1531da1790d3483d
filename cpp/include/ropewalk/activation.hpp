#pragma once

#include <cstdint>

namespace ropewalk {

/// gelu: x/2 (1 + erf(x/sqrt 2)); gelu_tanh: its approximation by tanh, up to 4.8e-4 away; silu: x / (1 +
/// e^-x).
enum class Activation : std::uint8_t { gelu, gelu_tanh, relu, silu, linear };

}  // namespace ropewalk
