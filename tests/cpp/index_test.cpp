// The index's bounds beside cosines in float64, on every architecture.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "each_architecture.hpp"
#include "index/codes.hpp"

namespace index_test {

using ropewalk::index::RowFacts;

/// Numbers whose first is 64-byte aligned.
template <class T>
class Aligned {
 public:
  explicit Aligned(std::size_t count) : storage_(count * sizeof(T) + 64) {
    const auto at = reinterpret_cast<std::uintptr_t>(storage_.data());
    data_ = reinterpret_cast<T*>((at + 63) / 64 * 64);
  }
  T* data() { return data_; }

 private:
  std::vector<unsigned char> storage_;
  T* data_;
};

double cosine(const float* a, const float* b, std::size_t n) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ab += double(a[i]) * double(b[i]);
    aa += double(a[i]) * double(a[i]);
    bb += double(b[i]) * double(b[i]);
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa) / std::sqrt(bb);
}

struct Shape {
  std::size_t dimensions, rows;
};

void check(const Shape& shape, float spread) {
  const auto [n, rows] = shape;
  std::mt19937 random(n * 31 + rows);
  std::normal_distribution<float> normal;
  std::vector<float> vectors(rows * n), query(n);
  // Vectors of many lengths; the first is 0, and the second has one entry that is far larger than the others.
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i)
      vectors[r * n + i] = r == 0 ? 0 : normal(random) * std::pow(spread, float(r % 7));
  if (rows > 1) vectors[n] = 1e6F;
  for (float& value : query) value = normal(random);

  const std::size_t columns = ropewalk::index::columns_of(n);
  ASSERT_GE(columns, n);
  Aligned<std::int8_t> codes(rows * columns);
  Aligned<std::int16_t> words(columns);
  std::vector<RowFacts> facts(rows);
  std::vector<std::int32_t> sums(rows);
  std::vector<float> lower(rows), upper(rows);
  for (std::size_t r = 0; r < rows; ++r)
    facts[r] = ropewalk::index::encode({vectors.data() + r * n, n}, codes.data() + r * columns);
  const auto scan = [&] {
    ropewalk::index::scan(query, codes.data(), facts, {words.data(), sums.data()},
                          {lower.data(), upper.data()});
  };
  scan();
  for (std::size_t r = 0; r < rows; ++r) {
    const double exact = cosine(query.data(), vectors.data() + r * n, n);
    EXPECT_LE(double(lower[r]), exact) << n << " " << r;
    EXPECT_GE(double(upper[r]), exact) << n << " " << r;
    // A bound that says nothing would leave out nothing.
    if (n >= 16 && r > 1) {
      EXPECT_LT(upper[r] - lower[r], 0.05F) << n << " " << r;
    }
  }
  query.assign(n, 0.0F);
  scan();
  for (std::size_t r = 0; r < rows; ++r) EXPECT_LE(std::abs(lower[r] + upper[r]), 1e-6F);
}

class Index : public EachArchitecture {};
ON_EACH_ARCHITECTURE(Index);

TEST_P(Index, BoundsHoldTheCosine) {
  for (const std::size_t n : {1, 2, 31, 32, 33, 100, 384, 1024, 4096})
    for (const std::size_t rows : {1, 3, 4, 5, 9}) check({n, rows}, 3.0F);
  check({384, 9}, 1e4F);
}

TEST_P(Index, SumsOfTheLargestNumbersFit) {
  // All entries alike: every product is the largest there is.
  for (const std::size_t n : {384, 1024, 8192, 65536}) {
    std::vector<float> ones(n, 1.0F);
    const std::size_t columns = ropewalk::index::columns_of(n);
    Aligned<std::int8_t> codes(columns);
    Aligned<std::int16_t> words(columns);
    const RowFacts facts = ropewalk::index::encode(ones, codes.data());
    std::int32_t sum;
    float lower, upper;
    ropewalk::index::scan(ones, codes.data(), {&facts, 1}, {words.data(), &sum}, {&lower, &upper});
    EXPECT_LE(lower, 1.0F);
    EXPECT_GE(upper, 1.0F);
    EXPECT_LT(upper - lower, 0.05F) << n;
  }
}

}  // namespace index_test
