// The gated delta rule against its specification, at once and in pieces.

#include "nn/delta_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "each_architecture.hpp"
#include "nn/softplus.hpp"
#include "nn_support.hpp"
#include "reference/delta_rule.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_delta_rule_test {

using nn_support::distance;
using nn_support::doubles;

class DeltaRule : public EachArchitecture {};
ON_EACH_ARCHITECTURE(DeltaRule);

TEST_P(DeltaRule, EqualsItsSpecificationAtOnceAndInPieces) {
  for (const auto& [tokens, key_heads, value_heads, key_dim, value_dim] :
       {std::array<std::size_t, 5>{1, 1, 1, 1, 1}, std::array<std::size_t, 5>{30, 2, 4, 8, 8},
        std::array<std::size_t, 5>{17, 3, 3, 5, 7}, std::array<std::size_t, 5>{70, 1, 4, 16, 33}}) {
    const std::size_t width = 2 * key_heads * key_dim + value_heads * value_dim, y_token = width + 3;
    const nn::DeltaRuleShape shape{tokens, key_heads, value_heads, key_dim, value_dim, y_token};
    TestData sample(tokens);
    const std::vector<float> qkv = sample.floats(tokens * width);
    const std::vector<float> before = sample.floats(value_heads * key_dim * value_dim);
    std::vector<float> decay = sample.floats(tokens * value_heads), beta = sample.floats(decay.size());
    for (float& each : decay) each = 1 / (1 + std::exp(-each));
    for (float& each : beta) each = 1 / (1 + std::exp(-each));
    std::vector<double> y(tokens * y_token), state = doubles(before);
    reference::delta_rule(y.data(), state.data(), doubles(qkv).data(), doubles(decay).data(),
                          doubles(beta).data(), shape);

    std::vector<float> found(y.size()), held = before, work = qkv;
    nn::delta_rule(nn_support::compute(), found.data(), held.data(), work.data(), decay.data(), beta.data(),
                   shape);
    EXPECT_LE(distance(found, y), 2e-6);
    EXPECT_LE(distance(held, state), 2e-6);

    std::vector<float> again(y.size()), carried = before;
    work = qkv;
    for (std::size_t at = 0; at < tokens;) {
      nn::DeltaRuleShape some = shape;
      some.tokens = std::min<std::size_t>(at % 3 + 1, tokens - at);
      nn::delta_rule(nn_support::compute(), again.data() + at * y_token, carried.data(),
                     work.data() + at * width, decay.data() + at * value_heads,
                     beta.data() + at * value_heads, some);
      at += some.tokens;
    }
    EXPECT_EQ(again, found);
    EXPECT_EQ(carried, held);
  }
}

TEST_P(DeltaRule, AKeyThatComesAgainReplacesItsValue) {
  const nn::DeltaRuleShape shape{2, 1, 1, 2, 2, 2};
  // The query is the key, which has the length 1 both times; beta is 1 and nothing decays.
  std::vector<float> qkv = {3, 4, 3, 4, 5, -2, 6, 8, 6, 8, 1, 9}, y(4), state(4);
  const std::vector<float> ones = {1, 1};
  nn::delta_rule(nn_support::compute(), y.data(), state.data(), qkv.data(), ones.data(), ones.data(), shape);
  const std::vector<double> values = {5, -2, 1, 9};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i] * std::sqrt(2.0), values[i], 1e-5) << i;
}

TEST_P(DeltaRule, SoftplusIsTheLogarithmFarOnEitherSide) {
  const std::vector<float> x = {-100, -30, -17, -3, -0.5F, 0, 0.25F, 2, 20, 88, 1000};
  std::vector<float> y(x.size()), slope(x.size()), own = x;
  nn::softplus(nn_support::compute(), y.data(), slope.data(), x.data(), x.size());
  nn::softplus(nn_support::compute(), own.data(), slope.data(), own.data(), x.size());
  EXPECT_EQ(own, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = x[i], expected = std::max(value, 0.0) + std::log1p(std::exp(-std::fabs(value)));
    EXPECT_NEAR(y[i], expected, 4e-7 * expected + 1e-37) << value;
    EXPECT_NEAR(slope[i], 1 / (1 + std::exp(-value)), 4e-7) << value;
  }
}

}  // namespace nn_delta_rule_test
}  // namespace ropewalk
