#include "nn/activation.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

struct Name {
  std::string_view name;
  Activation activation;
};

/// The first name of each is the one written.
constexpr Name names[] = {
    {"gelu", Activation::gelu},           {"gelu_python", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},  {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh}, {"relu", Activation::relu},
    {"silu", Activation::silu},           {"swish", Activation::silu},
    {"linear", Activation::linear},       {"relu2", Activation::relu2},
};

}  // namespace

Result<Activation> activation_from_name(std::string_view name) {
  for (const Name& each : names) {
    if (each.name == name) return each.activation;
  }
  return wrong_type("activation_from_name", "name", "\"" + std::string(name) + "\"", activation_names());
}

std::string activation_names() {
  std::string all;
  for (const Name& each : names) all += (all.empty() ? "" : ", ") + std::string(each.name);
  return all;
}

std::string_view activation_name(Activation activation) {
  for (const Name& each : names) {
    if (each.activation == activation) return each.name;
  }
  return {};
}

void activation_forward(Compute compute, Activation activation, float* y, const float* x, std::size_t count) {
  kernels::Map* const map = compute.dense().activation[static_cast<std::size_t>(activation)];
  constexpr std::size_t row = 256;
  in_rows(compute, (count + row - 1) / row, activation_cost * row, [&](std::size_t first, std::size_t rows) {
    map(x + first * row, y + first * row, std::min(rows * row, count - first * row));
  });
}

void activation_backward(Compute compute, Activation activation, float* dx, const float* dy, const float* x,
                         std::size_t count) {
  compute.dense().activation_backward[static_cast<std::size_t>(activation)](x, dy, dx, count);
}

}  // namespace ropewalk::nn
