// The screen of a matrix finds the largest elements of a product, bit for bit, whatever the numbers are.

#include "nn/screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <random>

#include "each_architecture.hpp"
#include "nn_support.hpp"

namespace screen_test {

using namespace ropewalk;

class ScreenOfMatrix : public EachArchitecture {};
ON_EACH_ARCHITECTURE(ScreenOfMatrix);

struct Shape {
  std::size_t n, k;
};

/// Rows with a normal distribution and lengths that differ; in every ninth a few numbers are out of the ordinary.
std::vector<float> matrix_of(Shape shape, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> w(shape.n * shape.k);
  for (std::size_t n = 0; n < shape.n; ++n) {
    const float length = 0.5F + static_cast<float>(n * 7 % 11) / 11;
    for (std::size_t k = 0; k < shape.k; ++k) w[n * shape.k + k] = length * normal(random);
    if (n % 9 == 0) w[n * shape.k + n % shape.k] *= 40;
  }
  return w;
}

nn::PackedWeight packed(Shape shape, const std::vector<float>& w) {
  nn::PackedWeight weight;
  raise(weight.reserve(nn_support::compute(), shape.n, shape.k, nn::WeightForm::int8_blocks));
  weight.set_rows(0, shape.n, w.data());
  return weight;
}

/// A screen of the weight, whose rows it takes in steps.
void make_ready(nn::Screen& screen, const nn::PackedWeight& weight) {
  raise(screen.make(nn_support::compute(), weight));
  const std::vector<float> x(weight.k(), 1.0F);
  nn::Screen::Elements found;
  std::size_t left = weight.n();
  for (std::size_t rows = 1; left > 0; rows *= 3) {
    EXPECT_FALSE(screen.largest(nn_support::compute(), x.data(), 1, {}, found));
    EXPECT_EQ(screen.pack(rows), left - std::min(left, rows));
    left -= std::min(left, rows);
  }
  EXPECT_EQ(screen.pack(1), 0u);
}

/// True if the screen gave elements. They are those of the product, and none that is left out reaches the `count`-th largest
/// of those that are not in `also`.
bool finds_the_largest(nn::Screen& screen, const nn::PackedWeight& weight, const std::vector<float>& x,
                       std::size_t count, const std::vector<std::int32_t>& also,
                       std::size_t* read = nullptr) {
  std::vector<float> all(weight.n());
  nn::linear_forward(nn_support::compute(), all.data(), x.data(), weight, nullptr, 1);
  nn::Screen::Elements found;
  if (!screen.largest(nn_support::compute(), x.data(), count, also, found)) return false;
  EXPECT_TRUE(std::ranges::is_sorted(found.rows));
  EXPECT_EQ(found.rows.size(), found.values.size());
  if (read != nullptr) *read += found.rows.size();
  std::vector<bool> is_found(all.size());
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(found.rows[i]);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found.values[i]), std::bit_cast<std::uint32_t>(all[row]));
    is_found[row] = true;
  }
  for (const std::int32_t row : also) EXPECT_TRUE(is_found[static_cast<std::size_t>(row)]);
  std::vector<float> others;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::ranges::find(also, static_cast<std::int32_t>(i)) == also.end()) others.push_back(all[i]);
  std::ranges::sort(others, std::greater());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] >= others[count - 1]) EXPECT_TRUE(is_found[i]) << i;
  }
  return true;
}

TEST_P(ScreenOfMatrix, FindsTheLargestElements) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const Shape shape : {Shape{4096, 640}, {3001, 96}, {2000, 50}, {1500, 2080}}) {
    SCOPED_TRACE(std::to_string(shape.n) + " x " + std::to_string(shape.k));
    const std::vector<float> w = matrix_of(shape, random);
    const nn::PackedWeight weight = packed(shape, w);
    nn::Screen screen;
    make_ready(screen, weight);
    std::size_t given = 0, read = 0;
    // From noise, where nothing stands out, to a row itself.
    for (const float noise : {30.0F, 3.0F, 1.0F, 0.3F}) {
      for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t row = (i * 997 + 5) % shape.n;
        std::vector<float> x(shape.k);
        for (std::size_t k = 0; k < shape.k; ++k) x[k] = w[row * shape.k + k] + noise * normal(random);
        for (const std::size_t count : {1, 5, 40}) {
          const std::vector<std::int32_t> also =
              i % 2 == 0 ? std::vector<std::int32_t>{} : std::vector{static_cast<std::int32_t>(row), 3, 3};
          if (finds_the_largest(screen, weight, x, count, also, &read)) ++given;
        }
      }
    }
    EXPECT_GT(given, 0u);
    EXPECT_LT(read, given * shape.n);
  }
}

TEST_P(ScreenOfMatrix, KeepsRowsThatAreEqual) {
  std::mt19937 random(2);
  const Shape shape{2048, 128};
  std::vector<float> w = matrix_of(shape, random);
  // Rows that share the largest element, far apart.
  for (const std::size_t n : {100, 700, 1999}) {
    for (std::size_t k = 0; k < shape.k; ++k) w[n * shape.k + k] = 3 * w[7 * shape.k + k];
  }
  const std::vector<float> x(w.begin() + 7 * 128, w.begin() + 8 * 128);
  const nn::PackedWeight weight = packed(shape, w);
  nn::Screen screen;
  make_ready(screen, weight);
  EXPECT_TRUE(finds_the_largest(screen, weight, x, 1, {}));
  EXPECT_TRUE(finds_the_largest(screen, weight, x, 1, {100}));
  EXPECT_TRUE(finds_the_largest(screen, weight, x, 2, {100, 1999}));
}

TEST_P(ScreenOfMatrix, LeavesNothingUnprovenToChance) {
  std::mt19937 random(3);
  const Shape shape{1024, 64};
  const std::vector<float> w = matrix_of(shape, random);
  nn::Screen::Elements found;
  const std::vector<float> x(w.begin(), w.begin() + 64);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e30F}) {
    std::vector<float> worse = w;
    worse[500 * 64 + 9] = bad;
    const nn::PackedWeight weight = packed(shape, worse);
    nn::Screen screen;
    make_ready(screen, weight);
    EXPECT_FALSE(screen.largest(nn_support::compute(), x.data(), 1, {}, found)) << bad;
  }
  const nn::PackedWeight weight = packed(shape, w);
  nn::Screen screen;
  make_ready(screen, weight);
  EXPECT_TRUE(finds_the_largest(screen, weight, x, 1, {}));
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e36F, 0.0F}) {
    std::vector<float> input(64, bad);
    EXPECT_FALSE(screen.largest(nn_support::compute(), input.data(), 1, {}, found)) << bad;
  }
  EXPECT_FALSE(screen.largest(nn_support::compute(), x.data(), shape.n / 2, {}, found));
  // Small numbers are no reason to refuse, and no reason to be wrong.
  std::vector<float> small = x;
  for (float& each : small) each *= 1e-12F;
  EXPECT_TRUE(finds_the_largest(screen, weight, small, 1, {}));
  std::vector<float> zeros = w;
  std::fill_n(zeros.begin() + 64 * 64, 300 * 64, 0.0F);
  for (std::size_t i = 0; i < 64; ++i) zeros[900 * 64 + i] = 1e-20F;
  const nn::PackedWeight with_zeros = packed(shape, zeros);
  make_ready(screen, with_zeros);
  EXPECT_TRUE(finds_the_largest(screen, with_zeros, x, 1, {}));
}

}  // namespace screen_test
