// The norm of queries and keys: that of each head by itself, wherever it lies.

#include "nn/head_norm.hpp"

#include <gtest/gtest.h>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/norm.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_head_norm_test {

using nn::HeadNormShape;
using nn_support::distance;
using nn_support::doubles;

class HeadNormOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(HeadNormOn);

struct Case {
  HeadNormShape shape;
  NormKind kind;
};

constexpr Case cases[] = {
    {{7, 3, 8}, NormKind::rms},                                // dense
    {{7, 3, 8, {40, 8}, {40, 8}}, NormKind::rms_plus_one},     // a part of a product of all three
    {{5, 4, 24, {288, 72}, {288, 72}}, NormKind::rms},         // q, k, v, q, k, v, ...
    {{6, 2, 20, {60, 20}, {40, 20}}, NormKind::rms_plus_one},  // out of the product, dense
    {{6, 1, 256, {512, 256}, {256, 256}}, NormKind::rms_plus_one},
    {{6, 1, 72, {216, 72}, {216, 72}}, NormKind::layer},  // of all heads together
    {{5, 3, 20, {60, 20}, {80, 20}}, NormKind::layer},
};

std::size_t size(const HeadNormShape& shape, const nn::HeadStrides& strides) {
  return shape.tokens * (strides.token == 0 ? shape.heads * shape.head_dim : strides.token);
}

/// The rows (tokens * heads, D) of a tensor.
std::vector<float> rows(const std::vector<float>& x, const HeadNormShape& shape,
                        const nn::HeadStrides& strides) {
  std::vector<float> out;
  for (std::size_t t = 0; t < shape.tokens; ++t) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const float* const head = x.data() +
                                t * (strides.token == 0 ? shape.heads * shape.head_dim : strides.token) +
                                h * (strides.head == 0 ? shape.head_dim : strides.head);
      out.insert(out.end(), head, head + shape.head_dim);
    }
  }
  return out;
}

TEST_P(HeadNormOn, IsTheNormOfEachHead) {
  for (const Case& each : cases) {
    const HeadNormShape& shape = each.shape;
    const std::size_t n = shape.head_dim, m = shape.tokens * shape.heads;
    TestData sample(n);
    const auto x = sample.floats(size(shape, shape.x)), dy = sample.floats(size(shape, shape.y)),
               gamma = sample.floats(n);
    const auto gamma64 = doubles(gamma), x64 = doubles(rows(x, shape, shape.x)),
               dy64 = doubles(rows(dy, shape, shape.y));
    const reference::Norm<double> norm64{each.kind, gamma64.data(), nullptr, 1e-6};
    std::vector<double> y64(m * n), mean64(m), rstd64(m), dx64(m * n), dgamma64(n, 1.0);
    reference::norm_forward(y64.data(), mean64.data(), rstd64.data(), x64.data(), norm64, m, n);
    reference::norm_backward(dx64.data(), dgamma64.data(), static_cast<double*>(nullptr), dy64.data(),
                             x64.data(), norm64, mean64.data(), rstd64.data(), m, n);

    const nn::Norm norm{each.kind, gamma.data(), nullptr, 1e-6F};
    std::vector<float> y(size(shape, shape.y), 9.0F), mean(m), rstd(m), dx(y.size()), dgamma(n, 1.0F);
    nn::head_norm_forward(nn_support::compute(), y.data(), mean.data(), rstd.data(), x.data(), norm, shape);
    nn::head_norm_backward(nn_support::compute(), dx.data(), dgamma.data(), nullptr, dy.data(), x.data(),
                           norm, mean.data(), rstd.data(), shape);
    EXPECT_LE(distance(rows(y, shape, shape.y), y64), 2e-6) << n;
    EXPECT_LE(distance(rstd, rstd64), 2e-6) << n;
    if (each.kind == NormKind::layer) EXPECT_LE(distance(mean, mean64), 2e-6) << n;
    EXPECT_LE(distance(rows(dx, shape, shape.y), dx64), 3e-6) << n;
    EXPECT_LE(distance(dgamma, dgamma64), 3e-6) << n;

    auto in_place = dy;
    nn::head_norm_backward(nn_support::compute(), in_place.data(), nullptr, nullptr, in_place.data(),
                           x.data(), norm, mean.data(), rstd.data(), shape);
    EXPECT_EQ(rows(in_place, shape, shape.y), rows(dx, shape, shape.y)) << n;
    if (shape.x.token != shape.y.token) continue;
    auto same = x;
    nn::head_norm_forward(nn_support::compute(), same.data(), nullptr, nullptr, same.data(), norm, shape);
    EXPECT_EQ(rows(same, shape, shape.y), rows(y, shape, shape.y)) << n;
  }
}

TEST_P(HeadNormOn, LeavesWhatLiesBetweenTheHeads) {
  const HeadNormShape shape{3, 2, 5, {31, 9}, {31, 9}};
  TestData sample(1);
  const auto x = sample.floats(size(shape, shape.x));
  auto y = x;
  nn::head_norm_forward(nn_support::compute(), y.data(), nullptr, nullptr, y.data(),
                        {NormKind::rms, nullptr, nullptr, 1e-6F}, shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t column = i % 31;
    const bool of_a_head = column < 5 || (column >= 9 && column < 14);
    EXPECT_EQ(y[i] != x[i], of_a_head) << i;
  }
}

}  // namespace nn_head_norm_test
}  // namespace ropewalk
