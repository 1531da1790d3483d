// The generator gives the published bits, fair integers, a true normal, and independent forks.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ropewalk::trainer {
namespace random_test {

TEST(Random, GivesThePublishedSequence) {
  // xoshiro256** with its state filled by splitmix64 from 0, as in the authors' reference code.
  Random random(0);
  EXPECT_EQ(random.next(), 0x99ec5f36cb75f2b4u);
  EXPECT_EQ(random.next(), 0xbf6e1f784956452au);
  EXPECT_EQ(random.next(), 0x1a5f849d4933e6e0u);
  EXPECT_EQ(random.next(), 0x6aa594f1262d2d2cu);
}

TEST(Random, RepeatsFromItsSeed) {
  Random first(42), second(42), other(43);
  int equal_to_other = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = first.next();
    EXPECT_EQ(bits, second.next());
    equal_to_other += bits == other.next() ? 1 : 0;
  }
  EXPECT_EQ(equal_to_other, 0);
}

TEST(Random, BelowIsInRangeAndFair) {
  Random random(1);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
  for (const std::uint64_t limit : {2u, 3u, 7u, 10u}) {
    std::vector<int> counts(limit, 0);
    const int draws = 100000;
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t draw = random.below(limit);
      ASSERT_LT(draw, limit);
      ++counts[draw];
    }
    double chi_squared = 0;
    const double expected = static_cast<double>(draws) / static_cast<double>(limit);
    for (const int count : counts) chi_squared += (count - expected) * (count - expected) / expected;
    EXPECT_LT(chi_squared, 30);
  }
}

TEST(Random, BelowHasNoModuloBiasForHugeLimits) {
  // With `next() % limit` the lower half would come up twice as often as the upper.
  const std::uint64_t limit = 0xc000000000000000u;
  Random random(2);
  int low = 0;
  const int draws = 30000;
  for (int i = 0; i < draws; ++i) low += random.below(limit) < 0x4000000000000000u ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(low) / draws, 1.0 / 3, 0.012);
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(3);
  double sum = 0, squares = 0, least = 1, most = 0;
  const int draws = 200000;
  for (int i = 0; i < draws; ++i) {
    const double draw = random.uniform();
    sum += draw;
    squares += draw * draw;
    least = std::min(least, draw);
    most = std::max(most, draw);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 1e-4);
  EXPECT_GT(most, 1 - 1e-4);
  EXPECT_NEAR(sum / draws, 0.5, 0.003);
  EXPECT_NEAR(squares / draws, 1.0 / 3, 0.003);
}

TEST(Random, NormalFollowsTheNormalDistribution) {
  Random random(4);
  const int draws = 400000;
  std::vector<double> sample(draws);
  double mean = 0, square = 0, fourth = 0;
  for (double& value : sample) {
    value = random.normal();
    mean += value;
    square += value * value;
    fourth += value * value * value * value;
  }
  EXPECT_NEAR(mean / draws, 0, 0.007);
  EXPECT_NEAR(square / draws, 1, 0.01);
  EXPECT_NEAR(fourth / draws, 3, 0.08);
  for (const double limit : {-3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 2.5, 3.0}) {
    int lower = 0;
    for (const double value : sample) lower += value < limit ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(lower) / draws, 0.5 * std::erfc(-limit / std::sqrt(2.0)), 0.0035)
        << limit;
  }
}

TEST(Random, NormalIsTheSameEverywhere) {
  Random random(5);
  const std::array<double, 4> draws{random.normal(), random.normal(), random.normal(), random.normal()};
  const std::array<double, 4> expected{-0x1.4c916399e1777p-1, 0x1.3a5e34555252ep-1, 0x1.a20c459b96d16p-1,
                                       0x1.47ca180426ecp-2};
  EXPECT_EQ(draws, expected);
}

TEST(Random, ForksDependOnTheSeedAndTheStreamOnly) {
  Random random(6);
  const Random early = random.fork(1);
  for (int i = 0; i < 100; ++i) random.next();
  Random first = early, again = random.fork(1), other = random.fork(2), child = Random(6).fork(1).fork(1);
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = first.next();
    EXPECT_EQ(bits, again.next());
    same += bits == other.next() || bits == child.next() || bits == random.next() ? 1 : 0;
  }
  EXPECT_EQ(same, 0);
}

TEST(Random, ForksAreUncorrelated) {
  const Random parent(7);
  double product = 0;
  const int draws = 100000;
  Random one = parent.fork(0), two = parent.fork(1);
  for (int i = 0; i < draws; ++i) product += (one.uniform() - 0.5) * (two.uniform() - 0.5);
  EXPECT_NEAR(product / draws * 12, 0, 0.015);
}

}  // namespace random_test
}  // namespace ropewalk::trainer
