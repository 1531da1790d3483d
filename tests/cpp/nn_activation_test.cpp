// Activations against the C library in float64, their derivatives against differences, their names.

#include "nn/activation.hpp"

#include <gtest/gtest.h>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/activation.hpp"

namespace ropewalk {
namespace nn_activation_test {

using nn::Activation;
constexpr Activation named[] = {Activation::gelu, Activation::gelu_tanh, Activation::relu,
                                Activation::silu, Activation::linear,    Activation::relu2};
constexpr Activation all[] = {Activation::gelu,   Activation::gelu_tanh, Activation::relu, Activation::silu,
                              Activation::linear, Activation::sigmoid,   Activation::tanh, Activation::relu2};

class ActivationOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(ActivationOn);

TEST(ActivationReference, DerivativesAreThoseOfDifferences) {
  for (Activation each : all) {
    for (double x = -6.05; x < 6; x += 0.1) {
      const double step = 1e-5;
      const double numeric =
          (reference::activation(each, x + step) - reference::activation(each, x - step)) / (2 * step);
      EXPECT_NEAR(reference::activation_derivative(each, x), numeric, 1e-8)
          << static_cast<int>(each) << " " << x;
    }
  }
}

TEST_P(ActivationOn, EqualsTheReference) {
  std::vector<float> x;
  for (double at = -20; at < 20; at += 0.0113) x.push_back(static_cast<float>(at));
  for (float far : {-1e4F, 1e4F, -1e18F, 1e18F, 0.0F}) x.push_back(far);
  std::vector<float> y(x.size()), dx(x.size()), dy(x.size(), 2.0F);
  for (Activation each : all) {
    nn::activation_forward(nn_support::compute(), each, y.data(), x.data(), x.size());
    nn::activation_backward(nn_support::compute(), each, dx.data(), dy.data(), x.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = x[i];
      // A square, whose slope grows, has an error of its own size.
      const double size = each == Activation::relu2 ? value * value : std::fabs(value);
      ASSERT_NEAR(y[i], reference::activation(each, value), 4e-7 * std::max(1.0, size))
          << static_cast<int>(each) << " " << value;
      ASSERT_NEAR(dx[i], 2 * reference::activation_derivative(each, value),
                  each == Activation::relu2 ? 4e-7 * std::fabs(value) : 2e-6)
          << static_cast<int>(each) << " " << value;
    }
    std::vector<float> in_place = x;
    nn::activation_forward(nn_support::compute(), each, in_place.data(), in_place.data(), in_place.size());
    EXPECT_EQ(in_place, y);
  }
}

TEST_P(ActivationOn, FarBelowZeroGeluIsZero) {
  const float x[] = {-5.8F, -10.0F, -1000.0F, -1e30F};
  float y[4];
  for (Activation each : {Activation::gelu, Activation::gelu_tanh}) {
    nn::activation_forward(nn_support::compute(), each, y, x, 4);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(y[i], 0.0F) << x[i];
  }
}

TEST(Activation, NamesAreThoseOfHuggingFace) {
  EXPECT_EQ(nn::activation_from_name("gelu").value(), Activation::gelu);
  EXPECT_EQ(nn::activation_from_name("gelu_python").value(), Activation::gelu);
  EXPECT_EQ(nn::activation_from_name("gelu_new").value(), Activation::gelu_tanh);
  EXPECT_EQ(nn::activation_from_name("gelu_pytorch_tanh").value(), Activation::gelu_tanh);
  EXPECT_EQ(nn::activation_from_name("gelu_fast").value(), Activation::gelu_tanh);
  EXPECT_EQ(nn::activation_from_name("relu").value(), Activation::relu);
  EXPECT_EQ(nn::activation_from_name("silu").value(), Activation::silu);
  EXPECT_EQ(nn::activation_from_name("swish").value(), Activation::silu);
  EXPECT_EQ(nn::activation_from_name("linear").value(), Activation::linear);
  EXPECT_EQ(nn::activation_from_name("relu2").value(), Activation::relu2);
  for (Activation each : named) EXPECT_EQ(nn::activation_from_name(nn::activation_name(each)).value(), each);
  const Status status = nn::activation_from_name("mish").status();
  EXPECT_EQ(status.code(), Status::Code::type);
  EXPECT_EQ(
      status.message(),
      "activation_from_name: `name` is \"mish\"; allowed: gelu, gelu_python, gelu_new, gelu_pytorch_tanh, "
      "gelu_fast, relu, silu, swish, linear, relu2");
}

}  // namespace nn_activation_test
}  // namespace ropewalk
