// Layer normalisation against its specification, and the specification's gradients against differences.

#include "nn/layer_norm.hpp"

#include <gtest/gtest.h>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/layer_norm.hpp"
#include "reference/rms_norm.hpp"
#include "sample.hpp"

namespace ropewalk {
namespace {

using testing::distance;
using testing::doubles;

class LayerNormOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(LayerNormOn);

TEST(LayerNormReference, GradientsAreThoseOfDifferences) {
  const std::size_t m = 3, n = 6;
  Sample sample(1);
  auto x = doubles(sample.floats(m * n)), gamma = doubles(sample.floats(n)), beta = doubles(sample.floats(n));
  const auto dy = doubles(sample.floats(m * n));
  std::vector<double> y(m * n), mean(m), rstd(m), dx(m * n), dgamma(n, 0.0), dbeta(n, 0.0);
  const auto loss = [&] {
    reference::layer_norm_forward(y.data(), mean.data(), rstd.data(), x.data(), gamma.data(), beta.data(), m,
                                  n, 1e-5);
    return testing::dot(y, dy);
  };
  loss();
  reference::layer_norm_backward(dx.data(), dgamma.data(), dbeta.data(), dy.data(), x.data(), gamma.data(),
                                 mean.data(), rstd.data(), m, n);
  testing::expect_gradient(x, dx, loss, "x");
  testing::expect_gradient(gamma, dgamma, loss, "gamma");
  testing::expect_gradient(beta, dbeta, loss, "beta");
}

TEST_P(LayerNormOn, EqualsItsSpecificationAtEveryLength) {
  for (std::size_t n = 2; n <= 40; ++n) {
    const std::size_t m = 3;
    Sample sample(n);
    auto x = sample.floats(m * n);
    for (float& value : x) value += 10.0F;  // a mean that a one-pass variance would suffer from
    const auto gamma = sample.floats(n), beta = sample.floats(n), dy = sample.floats(m * n);
    std::vector<double> y(m * n), mean(m), rstd(m), dx(m * n), dgamma(n, 1.0), dbeta(n, 1.0);
    reference::layer_norm_forward(y.data(), mean.data(), rstd.data(), doubles(x).data(),
                                  doubles(gamma).data(), doubles(beta).data(), m, n, 1e-12);
    reference::layer_norm_backward(dx.data(), dgamma.data(), dbeta.data(), doubles(dy).data(),
                                   doubles(x).data(), doubles(gamma).data(), mean.data(), rstd.data(), m, n);
    // Rounding of the input's mean of 10 is what limits the accuracy, the more the smaller the deviation.
    const double tolerance = 2e-6 * (1.0 + *std::max_element(rstd.begin(), rstd.end()));
    std::vector<float> fy(m * n), fmean(m), frstd(m), fdx(m * n), fdgamma(n, 1.0F), fdbeta(n, 1.0F);
    nn::layer_norm_forward(fy.data(), fmean.data(), frstd.data(), x.data(), gamma.data(), beta.data(), m, n,
                           1e-12F);
    nn::layer_norm_backward(fdx.data(), fdgamma.data(), fdbeta.data(), dy.data(), x.data(), gamma.data(),
                            fmean.data(), frstd.data(), m, n);
    EXPECT_LE(distance(fy, y), tolerance) << n;
    EXPECT_LE(distance(fdx, dx), tolerance) << n;
    EXPECT_LE(distance(fdgamma, dgamma), tolerance) << n;
    EXPECT_LE(distance(fdbeta, dbeta), 1e-6) << n;
    std::vector<float> in_place = dy;
    nn::layer_norm_backward(in_place.data(), nullptr, nullptr, in_place.data(), x.data(), gamma.data(),
                            fmean.data(), frstd.data(), m, n);
    EXPECT_EQ(in_place, fdx);
  }
}

TEST(RmsNormReference, GradientsAreThoseOfDifferences) {
  const std::size_t m = 3, n = 6;
  Sample sample(2);
  auto x = doubles(sample.floats(m * n));
  const auto dy = doubles(sample.floats(m * n));
  std::vector<double> y(m * n), rstd(m), dx(m * n);
  const auto loss = [&] {
    reference::rms_norm_forward(y.data(), rstd.data(), x.data(), m, n, 1e-5);
    return testing::dot(y, dy);
  };
  loss();
  reference::rms_norm_backward(dx.data(), dy.data(), x.data(), rstd.data(), m, n);
  testing::expect_gradient(x, dx, loss, "x");
}

TEST_P(LayerNormOn, WithoutParametersIsTheRootMeanSquare) {
  for (std::size_t n = 1; n <= 40; ++n) {
    const std::size_t m = 3;
    Sample sample(100 + n);
    const auto x = sample.floats(m * n), residual = sample.floats(m * n), dy = sample.floats(m * n);
    std::vector<float> sum(m * n);
    for (std::size_t i = 0; i < m * n; ++i) sum[i] = x[i] + residual[i];
    std::vector<double> y(m * n), rstd(m), dx(m * n);
    reference::rms_norm_forward(y.data(), rstd.data(), doubles(sum).data(), m, n, 1e-6);
    reference::rms_norm_backward(dx.data(), doubles(dy).data(), doubles(sum).data(), rstd.data(), m, n);
    std::vector<float> fy(m * n), fsum(m * n), fmean(m, 9.0F), frstd(m), fdx(m * n);
    nn::add_layer_norm_forward(fy.data(), fsum.data(), fmean.data(), frstd.data(), x.data(), residual.data(),
                               nullptr, nullptr, m, n, 1e-6F);
    nn::layer_norm_backward(fdx.data(), nullptr, nullptr, dy.data(), fsum.data(), nullptr, fmean.data(),
                            frstd.data(), m, n);
    const double tolerance = 2e-6 * (1.0 + *std::max_element(rstd.begin(), rstd.end()));
    EXPECT_EQ(fsum, sum);
    EXPECT_EQ(fmean, std::vector<float>(m, 0.0F));
    EXPECT_LE(distance(fy, y), tolerance) << n;
    EXPECT_LE(distance(fdx, dx), tolerance) << n;
  }
}

TEST_P(LayerNormOn, AddsTheResidualOnTheWay) {
  const std::size_t m = 5, n = 37;
  Sample sample(9);
  const auto x = sample.floats(m * n), residual = sample.floats(m * n), gamma = sample.floats(n),
             beta = sample.floats(n);
  std::vector<float> total(m * n), expected(m * n), y(m * n), sum(m * n), z = x;
  for (std::size_t i = 0; i < m * n; ++i) total[i] = x[i] + residual[i];
  nn::layer_norm_forward(expected.data(), nullptr, nullptr, total.data(), gamma.data(), beta.data(), m, n,
                         1e-12F);
  nn::add_layer_norm_forward(y.data(), sum.data(), nullptr, nullptr, x.data(), residual.data(), gamma.data(),
                             beta.data(), m, n, 1e-12F);
  EXPECT_EQ(y, expected);
  EXPECT_EQ(sum, total);
  nn::add_layer_norm_forward(z.data(), nullptr, nullptr, nullptr, z.data(), residual.data(), gamma.data(),
                             beta.data(), m, n, 1e-12F);
  EXPECT_EQ(z, expected);
}

}  // namespace
}  // namespace ropewalk
