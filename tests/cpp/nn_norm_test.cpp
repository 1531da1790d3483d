// Normalisation against its specification, and the specification's gradients against differences.

#include "nn/norm.hpp"

#include <gtest/gtest.h>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/norm.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_norm_test {

using nn_support::distance;
using nn_support::doubles;

class NormOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(NormOn);

/// One of the twelve: a kind, with or without gamma, with or without beta.
struct Variant {
  NormKind kind;
  bool gamma, beta;
};

std::vector<Variant> variants() {
  std::vector<Variant> list;
  for (NormKind kind : {NormKind::layer, NormKind::rms, NormKind::rms_plus_one}) {
    for (bool gamma : {false, true}) {
      for (bool beta : {false, true}) list.push_back({kind, gamma, beta});
    }
  }
  return list;
}

std::string name(const Variant& each) {
  const char* const kinds[] = {"layer", "rms", "rms_plus_one"};
  return std::string(kinds[static_cast<int>(each.kind)]) + (each.gamma ? " gamma" : "") +
         (each.beta ? " beta" : "");
}

template <class T>
T* optional(std::vector<T>& values, bool given) {
  return given ? values.data() : nullptr;
}

TEST(NormReference, GradientsAreThoseOfDifferences) {
  const std::size_t m = 3, n = 6;
  for (const Variant& each : variants()) {
    TestData sample(1);
    auto x = doubles(sample.floats(m * n)), gamma = doubles(sample.floats(n)),
         beta = doubles(sample.floats(n));
    const auto dy = doubles(sample.floats(m * n));
    std::vector<double> y(m * n), mean(m), rstd(m), dx(m * n), dgamma(n, 0.0), dbeta(n, 0.0);
    const reference::Norm<double> norm{each.kind, optional(gamma, each.gamma), optional(beta, each.beta),
                                       1e-5};
    const auto loss = [&] {
      reference::norm_forward(y.data(), mean.data(), rstd.data(), x.data(), norm, m, n);
      return nn_support::dot(y, dy);
    };
    loss();
    reference::norm_backward(dx.data(), dgamma.data(), dbeta.data(), dy.data(), x.data(), norm, mean.data(),
                             rstd.data(), m, n);
    nn_support::expect_gradient(x, dx, loss, name(each) + " x");
    if (each.gamma) nn_support::expect_gradient(gamma, dgamma, loss, name(each) + " gamma");
    if (each.beta) nn_support::expect_gradient(beta, dbeta, loss, name(each) + " beta");
  }
}

/// The formulas as their papers write them, for one row.
TEST(NormReference, FollowsTheDefinitions) {
  const std::vector<double> x = {1, -2, 3, 6}, gamma = {0.5, 2, -1, 0}, beta = {10, 20, 30, 40};
  std::vector<double> y(4), mean(1), rstd(1);
  const auto run = [&](NormKind kind) {
    reference::norm_forward(y.data(), mean.data(), rstd.data(), x.data(),
                            reference::Norm<double>{kind, gamma.data(), beta.data(), 0.5}, 1, 4);
  };
  run(NormKind::layer);
  const double deviation = std::sqrt((1.0 + 16.0 + 1.0 + 16.0) / 4 + 0.5);  // around the mean 2
  EXPECT_NEAR(y[0], -1 / deviation * 0.5 + 10, 1e-15);
  EXPECT_NEAR(y[3], 40, 1e-15);
  run(NormKind::rms);
  const double root = std::sqrt((1.0 + 4.0 + 9.0 + 36.0) / 4 + 0.5);
  EXPECT_NEAR(y[1], -2 / root * 2 + 20, 1e-15);
  EXPECT_EQ(mean[0], 0);
  run(NormKind::rms_plus_one);
  EXPECT_NEAR(y[1], -2 / root * 3 + 20, 1e-15);
  EXPECT_NEAR(y[3], 6 / root + 40, 1e-15);
}

TEST_P(NormOn, EqualsItsSpecificationAtEveryLength) {
  for (const Variant& each : variants()) {
    for (std::size_t n = 2; n <= 40; ++n) {
      const std::size_t m = 3;
      TestData sample(n);
      auto x = sample.floats(m * n);
      for (float& value : x) value += 10.0F;  // a mean that a one-pass variance would suffer from
      auto gamma = sample.floats(n), beta = sample.floats(n);
      const auto dy = sample.floats(m * n);
      auto gamma64 = doubles(gamma), beta64 = doubles(beta);
      const reference::Norm<double> norm64{each.kind, optional(gamma64, each.gamma),
                                           optional(beta64, each.beta), 1e-12};
      std::vector<double> y(m * n), mean(m), rstd(m), dx(m * n), dgamma(n, 1.0), dbeta(n, 1.0);
      reference::norm_forward(y.data(), mean.data(), rstd.data(), doubles(x).data(), norm64, m, n);
      reference::norm_backward(dx.data(), each.gamma ? dgamma.data() : nullptr,
                               each.beta ? dbeta.data() : nullptr, doubles(dy).data(), doubles(x).data(),
                               norm64, mean.data(), rstd.data(), m, n);
      // Rounding of the input's mean of 10 is what limits the accuracy, the more the smaller the deviation.
      const double tolerance = 2e-6 * (1.0 + *std::max_element(rstd.begin(), rstd.end()));
      const nn::Norm norm{each.kind, optional(gamma, each.gamma), optional(beta, each.beta), 1e-12F};
      std::vector<float> fy(m * n), fmean(m, 9.0F), frstd(m), fdx(m * n), fdgamma(n, 1.0F), fdbeta(n, 1.0F);
      nn::norm_forward(nn_support::compute(), fy.data(), fmean.data(), frstd.data(), x.data(), norm, m, n);
      nn::norm_backward(nn_support::compute(), fdx.data(), each.gamma ? fdgamma.data() : nullptr,
                        each.beta ? fdbeta.data() : nullptr, dy.data(), x.data(), norm,
                        each.kind == NormKind::layer ? fmean.data() : nullptr, frstd.data(), m, n);
      const std::string what = name(each) + " " + std::to_string(n);
      EXPECT_LE(distance(fy, y), tolerance) << what;
      EXPECT_LE(distance(frstd, rstd), tolerance) << what;
      EXPECT_LE(distance(fdx, dx), tolerance) << what;
      EXPECT_LE(distance(fdgamma, dgamma), tolerance) << what;
      EXPECT_LE(distance(fdbeta, dbeta), 1e-6) << what;
      if (each.kind != NormKind::layer) {
        EXPECT_EQ(fmean, std::vector<float>(m, 0.0F));
      }
      std::vector<float> in_place = dy;
      nn::norm_backward(nn_support::compute(), in_place.data(), nullptr, nullptr, in_place.data(), x.data(),
                        norm, fmean.data(), frstd.data(), m, n);
      EXPECT_EQ(in_place, fdx) << what;
      in_place = x;
      nn::norm_forward(nn_support::compute(), in_place.data(), nullptr, nullptr, in_place.data(), norm, m, n);
      EXPECT_EQ(in_place, fy) << what;
    }
  }
}

TEST_P(NormOn, AddsTheResidualOnTheWay) {
  const std::size_t m = 5, n = 37;
  TestData sample(9);
  const auto x = sample.floats(m * n), residual = sample.floats(m * n);
  auto gamma = sample.floats(n), beta = sample.floats(n);
  std::vector<float> total(m * n);
  for (std::size_t i = 0; i < m * n; ++i) total[i] = x[i] + residual[i];
  for (const Variant& each : variants()) {
    const nn::Norm norm{each.kind, optional(gamma, each.gamma), optional(beta, each.beta), 1e-6F};
    std::vector<float> expected(m * n), y(m * n), sum(m * n), rstd(m), rstd_of_sum(m), z = x;
    nn::norm_forward(nn_support::compute(), expected.data(), nullptr, rstd_of_sum.data(), total.data(), norm,
                     m, n);
    nn::add_norm_forward(nn_support::compute(), y.data(), sum.data(), nullptr, rstd.data(), x.data(),
                         residual.data(), norm, m, n);
    EXPECT_EQ(y, expected) << name(each);
    EXPECT_EQ(sum, total) << name(each);
    EXPECT_EQ(rstd, rstd_of_sum) << name(each);
    nn::add_norm_forward(nn_support::compute(), z.data(), nullptr, nullptr, nullptr, z.data(),
                         residual.data(), norm, m, n);
    EXPECT_EQ(z, expected) << name(each);
    auto stream = residual;  // the residual stream of a pre-norm model
    nn::add_norm_forward(nn_support::compute(), y.data(), stream.data(), nullptr, nullptr, x.data(),
                         stream.data(), norm, m, n);
    EXPECT_EQ(y, expected) << name(each);
    EXPECT_EQ(stream, total) << name(each);
  }
}

}  // namespace nn_norm_test
}  // namespace ropewalk
