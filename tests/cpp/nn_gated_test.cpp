// The gated feed-forward against its specification, and the specification's gradients against differences.

#include "nn/gated.hpp"

#include <gtest/gtest.h>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/gated.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_gated_test {

using nn::Activation;
using nn_support::distance;
using nn_support::doubles;

constexpr Activation gates[] = {Activation::silu,    Activation::gelu, Activation::gelu_tanh,
                                Activation::sigmoid, Activation::relu, Activation::tanh};

class GatedOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(GatedOn);

/// How gate and up lie in memory.
enum class Layout { separate, gate_up, up_gate };
constexpr Layout layouts[] = {Layout::separate, Layout::gate_up, Layout::up_gate};

/// The two inputs in one array: beside each other row by row, or one after the other.
struct Place {
  std::size_t row, gate, up;
  Place(Layout layout, std::size_t m, std::size_t f)
      : row(layout == Layout::separate ? f : 2 * f),
        gate(layout == Layout::up_gate ? f : 0),
        up(layout == Layout::separate  ? m * f
           : layout == Layout::gate_up ? f
                                       : 0) {}
};

TEST(GatedReference, GradientsAreThoseOfDifferences) {
  const std::size_t m = 2, f = 5;
  for (Activation each : gates) {
    TestData sample(3);
    auto gate = doubles(sample.floats(m * f)), up = doubles(sample.floats(m * f));
    const auto dy = doubles(sample.floats(m * f));
    std::vector<double> y(m * f), dgate(m * f), dup(m * f);
    const auto loss = [&] {
      reference::gated_forward(each, y.data(), gate.data(), up.data(), f, m, f);
      return nn_support::dot(y, dy);
    };
    reference::gated_backward(each, dgate.data(), dup.data(), dy.data(), gate.data(), up.data(), f, m, f);
    nn_support::expect_gradient(gate, dgate, loss, "gate");
    nn_support::expect_gradient(up, dup, loss, "up");
  }
}

TEST_P(GatedOn, EqualsItsSpecificationInEveryLayout) {
  const std::size_t m = 3;
  for (Activation each : gates) {
    for (std::size_t f = 1; f <= 600; f += f < 20 ? 1 : f < 40 ? 5 : 280) {
      TestData sample(f);
      const auto gate = sample.floats(m * f), up = sample.floats(m * f), dy = sample.floats(m * f);
      std::vector<double> y(m * f), dgate(m * f), dup(m * f);
      reference::gated_forward(each, y.data(), doubles(gate).data(), doubles(up).data(), f, m, f);
      reference::gated_backward(each, dgate.data(), dup.data(), doubles(dy).data(), doubles(gate).data(),
                                doubles(up).data(), f, m, f);
      std::vector<float> first;
      for (Layout layout : layouts) {
        const Place at(layout, m, f);
        std::vector<float> x(2 * m * f), fy(m * f);
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < f; ++j) {
            x[at.gate + i * at.row + j] = gate[i * f + j];
            x[at.up + i * at.row + j] = up[i * f + j];
          }
        }
        nn::gated_forward(nn_support::compute(), each, fy.data(), x.data() + at.gate, x.data() + at.up,
                          at.row, m, f);
        EXPECT_LE(distance(fy, y), 1e-6) << f;
        if (first.empty()) first = fy;
        EXPECT_EQ(fy, first) << f;

        std::vector<float> dx(2 * m * f), fdgate(m * f), fdup(m * f);
        nn::gated_backward(nn_support::compute(), each, dx.data() + at.gate, dx.data() + at.up, dy.data(),
                           x.data() + at.gate, x.data() + at.up, at.row, m, f);
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < f; ++j) {
            fdgate[i * f + j] = dx[at.gate + i * at.row + j];
            fdup[i * f + j] = dx[at.up + i * at.row + j];
          }
        }
        EXPECT_LE(distance(fdgate, dgate), 2e-6) << f;
        EXPECT_LE(distance(fdup, dup), 1e-6) << f;
        std::vector<float> in_place = x;
        nn::gated_backward(nn_support::compute(), each, in_place.data() + at.gate, in_place.data() + at.up,
                           dy.data(), in_place.data() + at.gate, in_place.data() + at.up, at.row, m, f);
        EXPECT_EQ(in_place, dx) << f;
        nn::gated_forward(nn_support::compute(), each, x.data(), x.data() + at.gate, x.data() + at.up, at.row,
                          m, f);
        x.resize(m * f);
        EXPECT_EQ(x, fy) << "the product's own memory, " << f;
      }
    }
  }
}

}  // namespace nn_gated_test
}  // namespace ropewalk
