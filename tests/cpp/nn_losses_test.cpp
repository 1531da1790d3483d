// Embedding, cross-entropy, mean squared error and dropout.

#include <gtest/gtest.h>

#include <array>

#include "each_architecture.hpp"
#include "nn/cross_entropy.hpp"
#include "nn/dropout.hpp"
#include "nn/embedding.hpp"
#include "nn/mean_squared_error.hpp"
#include "nn_support.hpp"
#include "reference/cross_entropy.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_losses_test {

using nn_support::distance;
using nn_support::doubles;

class CrossEntropyOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(CrossEntropyOn);
class EmbeddingOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(EmbeddingOn);

constexpr std::int32_t none = nn::ignored_label;

TEST(CrossEntropyReference, GradientsAreThoseOfDifferences) {
  const std::size_t m = 4, v = 5;
  TestData sample(1);
  auto logits = doubles(sample.floats(m * v));
  const std::array<std::int32_t, m> labels = {2, none, 0, 4};
  std::vector<double> gradient(m * v);
  reference::cross_entropy(gradient.data(), logits.data(), labels.data(), m, v);
  nn_support::expect_gradient(
      logits, gradient,
      [&] { return reference::cross_entropy<double>(nullptr, logits.data(), labels.data(), m, v); },
      "logits");
}

TEST_P(CrossEntropyOn, EqualsItsSpecification) {
  for (std::size_t v : {2, 15, 16, 17, 40, 1000}) {
    const std::size_t m = 4;
    TestData sample(v);
    auto logits = sample.floats(m * v);
    for (float& value : logits) value *= 5.0F;
    const std::array<std::int32_t, m> labels = {1, none, 0, static_cast<std::int32_t>(v) - 1};
    logits[0 * v + 1] = 100.0F;  // the first row is right
    logits[2 * v + 1] = 90.0F;   // the third is not
    logits[3 * v + 0] = 90.0F;   // nor the last
    std::vector<double> gradient(m * v);
    const double loss =
        reference::cross_entropy(gradient.data(), doubles(logits).data(), labels.data(), m, v);
    std::vector<float> sums(m), actual(m * v);
    const nn::Loss result =
        nn::cross_entropy_forward(nn_support::compute(), sums.data(), logits.data(), labels.data(), m, v);
    EXPECT_NEAR(result.loss, loss, 1e-6 * loss);
    EXPECT_EQ(result.counted, 3U);
    EXPECT_EQ(result.correct, 1U);
    nn::cross_entropy_backward(nn_support::compute(), actual.data(), logits.data(), sums.data(),
                               labels.data(), result.counted, 1.0F, m, v);
    EXPECT_LE(distance(actual, gradient), 5e-6);
    nn::cross_entropy_backward(nn_support::compute(), logits.data(), logits.data(), sums.data(),
                               labels.data(), result.counted, 1.0F, m, v);
    EXPECT_EQ(logits, actual);
  }
}

TEST_P(CrossEntropyOn, WithoutLabelsThereIsNoLoss) {
  const std::vector<float> logits(6, 1.0F);
  const std::array<std::int32_t, 2> labels = {none, none};
  std::vector<float> sums(2), gradient(6, 7.0F);
  const nn::Loss result =
      nn::cross_entropy_forward(nn_support::compute(), sums.data(), logits.data(), labels.data(), 2, 3);
  EXPECT_EQ(result.loss, 0.0);
  EXPECT_EQ(result.counted, 0U);
  nn::cross_entropy_backward(nn_support::compute(), gradient.data(), logits.data(), sums.data(),
                             labels.data(), 0, 1.0F, 2, 3);
  EXPECT_EQ(gradient, std::vector<float>(6, 0.0F));
}

TEST(MeanSquaredError, IsTheMeanOfSquares) {
  const std::array<float, 3> values = {1.0F, -2.0F, 0.5F}, targets = {0.0F, -2.0F, 2.5F};
  const nn::Loss loss = nn::mean_squared_error_forward(values.data(), targets.data(), 3);
  EXPECT_DOUBLE_EQ(loss.loss, 5.0 / 3);
  EXPECT_EQ(loss.counted, 3U);
  std::array<float, 3> gradient = values;
  // Part of a batch: the mean is over all rows that count, here 4.
  nn::mean_squared_error_backward(gradient.data(), gradient.data(), targets.data(), 4, 2.0F, 3);
  EXPECT_EQ(gradient, (std::array<float, 3>{1.0F, 0.0F, -2.0F}));
  EXPECT_EQ(nn::mean_squared_error_forward(nullptr, nullptr, 0).loss, 0);
}

TEST_P(EmbeddingOn, GathersAndScatters) {
  const std::size_t m = 5, e = 19;
  TestData sample(4);
  const auto words = sample.floats(7 * e), types = sample.floats(2 * e), dy = sample.floats(m * e);
  const std::array<std::int32_t, m> ids = {3, 6, 3, 0, 3}, type_ids = {0, 1, 1, 0, 0};
  for (const auto& [typed, scale] : {std::pair(false, 1.0F), {true, 1.0F}, {true, 2.5F}}) {
    std::vector<float> y(m * e);
    std::vector<double> expected(m * e), dwords(7 * e, 1.0), dtypes(2 * e, 1.0);
    for (std::size_t i = 0; i < m * e; ++i) {
      const auto word = static_cast<std::size_t>(ids[i / e]) * e + i % e;
      const auto type = (typed ? static_cast<std::size_t>(type_ids[i / e]) : 0) * e + i % e;
      expected[i] = static_cast<double>(scale) * words[word] + types[type];
      dwords[word] += static_cast<double>(scale) * dy[i];
      dtypes[type] += dy[i];
    }
    const std::int32_t* given = typed ? type_ids.data() : nullptr;
    nn::embedding_forward(nn_support::compute(), y.data(), ids.data(), given, words.data(), types.data(),
                          scale, m, e);
    EXPECT_LE(distance(y, expected), 1e-7);
    std::vector<float> fwords(7 * e, 1.0F), ftypes(2 * e, 1.0F);
    nn::embedding_backward(nn_support::compute(), fwords.data(), ftypes.data(), dy.data(), ids.data(), given,
                           scale, m, e);
    EXPECT_LE(distance(fwords, dwords), 1e-6);
    EXPECT_LE(distance(ftypes, dtypes), 1e-6);
  }
  std::vector<float> y(m * e);
  nn::embedding_forward(nn_support::compute(), y.data(), ids.data(), nullptr, words.data(), nullptr, 1, m, e);
  for (std::size_t i = 0; i < m * e; ++i) {
    EXPECT_EQ(y[i], words[static_cast<std::size_t>(ids[i / e]) * e + i % e]);
  }
}

TEST(Dropout, KeepsTheShareAndTheMean) {
  const std::size_t count = 200000;
  const std::vector<float> x(count, 1.0F);
  std::vector<float> y(count);
  for (float keep : {0.1F, 0.5F, 0.9F}) {
    nn::dropout(y.data(), x.data(), count, keep, 7);
    std::size_t kept = 0, repeated = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(y[i] == 0.0F || y[i] == 1.0F / keep);
      ASSERT_EQ(y[i] != 0.0F, nn::dropout_keeps(7, i, keep));
      kept += y[i] != 0.0F ? 1 : 0;
      repeated += i > 0 && (y[i] != 0.0F) == (y[i - 1] != 0.0F) ? 1 : 0;
    }
    // Five standard deviations.
    EXPECT_NEAR(static_cast<double>(kept), keep * count, 5 * std::sqrt(keep * (1 - keep) * count));
    const double same = keep * keep + (1 - keep) * (1 - keep);
    EXPECT_NEAR(static_cast<double>(repeated), same * count, 5 * std::sqrt(count * 0.25) * 2);
  }
}

TEST(Dropout, DependsOnSeedAndIndexOnly) {
  const std::vector<float> x(100, 1.0F);
  std::vector<float> all(100), part(40), other(100);
  nn::dropout(all.data(), x.data(), 100, 0.5F, 3);
  nn::dropout(part.data(), x.data(), 40, 0.5F, 3, 60);
  EXPECT_EQ(part, std::vector<float>(all.begin() + 60, all.end()));
  nn::dropout(other.data(), x.data(), 100, 0.5F, 4);
  EXPECT_NE(other, all);
  nn::dropout(other.data(), x.data(), 100, 1.0F, 4);
  EXPECT_EQ(other, x);
}

}  // namespace nn_losses_test
}  // namespace ropewalk
