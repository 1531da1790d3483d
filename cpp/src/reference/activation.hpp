#pragma once

// The activations and their derivatives by the C library: the specification of nn/activation.hpp.

#include <cmath>

#include "nn/activation.hpp"

namespace ropewalk::reference {

template <class Real>
Real activation(nn::Activation which, Real x) {
  switch (which) {
    case nn::Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(Real(2))));
    case nn::Activation::gelu_tanh:
      return x / 2 *
             (1 + std::tanh(std::sqrt(Real(2) / std::acos(Real(-1))) * (x + Real(0.044715) * x * x * x)));
    case nn::Activation::relu:
      return x > 0 ? x : Real(0);
    case nn::Activation::silu:
      return x / (1 + std::exp(-x));
    case nn::Activation::linear:
      return x;
    case nn::Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case nn::Activation::tanh:
      return std::tanh(x);
    case nn::Activation::relu2:
      return x > 0 ? x * x : Real(0);
  }
  return x;
}

template <class Real>
Real activation_derivative(nn::Activation which, Real x) {
  const Real pi = std::acos(Real(-1));
  switch (which) {
    case nn::Activation::gelu:
      return (1 + std::erf(x / std::sqrt(Real(2)))) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * pi);
    case nn::Activation::gelu_tanh: {
      const Real t = std::tanh(std::sqrt(2 / pi) * (x + Real(0.044715) * x * x * x));
      return (1 + t) / 2 + x / 2 * (1 - t * t) * std::sqrt(2 / pi) * (1 + 3 * Real(0.044715) * x * x);
    }
    case nn::Activation::relu:
      return x > 0 ? Real(1) : Real(0);
    case nn::Activation::silu: {
      const Real s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case nn::Activation::linear:
      return Real(1);
    case nn::Activation::sigmoid: {
      const Real s = 1 / (1 + std::exp(-x));
      return s * (1 - s);
    }
    case nn::Activation::tanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case nn::Activation::relu2:
      return x > 0 ? 2 * x : Real(0);
  }
  return Real(1);
}

}  // namespace ropewalk::reference
