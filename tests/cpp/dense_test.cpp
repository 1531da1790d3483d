// The dense kernels on every architecture, against plain loops in float64.

#include "kernels/dense.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "arch/select.hpp"
#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace dense_test {

using nn_support::distance;
using nn_support::doubles;

class DenseOn : public EachArchitecture {
 protected:
  static const kernels::DenseKernels& dense() { return arch::active()->dense; }
};
ON_EACH_ARCHITECTURE(DenseOn);

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Distance in units of the last place of the expected float32 (of the smallest subnormal at least).
double ulps(float actual, double expected) {
  const auto rounded = static_cast<float>(expected);
  if (actual == rounded) return 0;
  const double unit = static_cast<double>(std::nextafter(std::fabs(rounded), infinity)) - std::fabs(rounded);
  return std::fabs(actual - expected) / unit;
}

TEST_P(DenseOn, ExpIsWithinTwoUlp) {
  std::vector<float> x;
  for (double at = -104.5; at < 89.5; at += 0.00137) x.push_back(static_cast<float>(at));
  std::vector<float> y(x.size());
  dense().exp(x.data(), y.data(), x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = std::exp(static_cast<double>(x[i]));
    if (expected > std::numeric_limits<float>::max()) {
      EXPECT_EQ(y[i], infinity) << x[i];
    } else {
      worst = std::max(worst, ulps(y[i], expected));
    }
  }
  EXPECT_LE(worst, 2.0);
  RecordProperty("ulp", std::to_string(worst));
  const float edges[] = {-infinity, infinity, 0.0F, -0.0F, -1e30F, 1e30F, std::nanf("")};
  float out[7];
  dense().exp(edges, out, 7);
  EXPECT_EQ(out[0], 0.0F);
  EXPECT_EQ(out[1], infinity);
  EXPECT_EQ(out[2], 1.0F);
  EXPECT_EQ(out[3], 1.0F);
  EXPECT_EQ(out[4], 0.0F);
  EXPECT_EQ(out[5], infinity);
  EXPECT_TRUE(std::isnan(out[6]));
}

TEST_P(DenseOn, ErfAndTanhAreWithin1em7) {
  std::vector<float> x = {0.0F, -0.0F, 1e-30F, -1e-30F, 1e30F, -1e30F, infinity, -infinity};
  for (double at = -12; at < 12; at += 0.00031) x.push_back(static_cast<float>(at));
  std::vector<float> erf(x.size()), tanh(x.size());
  dense().erf(x.data(), erf.data(), x.size());
  dense().tanh(x.data(), tanh.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = x[i];
    ASSERT_NEAR(erf[i], std::erf(value), 1e-7) << value;
    ASSERT_NEAR(tanh[i], std::tanh(value), 1e-7) << value;
    ASSERT_LE(std::fabs(erf[i]), 1.0F);
    ASSERT_LE(std::fabs(tanh[i]), 1.0F);
    ASSERT_EQ(std::signbit(erf[i]), std::signbit(x[i]));
    ASSERT_EQ(std::signbit(tanh[i]), std::signbit(x[i]));
    if (std::fabs(value) < 0.5) {  // relative near 0, where it matters
      ASSERT_NEAR(tanh[i], std::tanh(value), 4e-7 * std::fabs(value));
      ASSERT_NEAR(erf[i], std::erf(value), 5e-7 * std::fabs(value));
    }
  }
  const float not_a_number = std::nanf("");
  float out = 0;
  dense().erf(&not_a_number, &out, 1);
  EXPECT_TRUE(std::isnan(out));
  dense().tanh(&not_a_number, &out, 1);
  EXPECT_TRUE(std::isnan(out));
}

/// One product, A and B by any strides, C with a margin that must stay as it is.
void check_gemm(const kernels::DenseKernels& dense, std::size_t m, std::size_t n, std::size_t k,
                bool a_transposed, bool b_transposed, bool bias, bool accumulate) {
  TestData sample(m * 10007 + n * 101 + k);
  const auto a = sample.floats(m * k), b = sample.floats(k * n), start = sample.floats(m * (n + 3)),
             row = sample.floats(n);
  auto packed = nn_support::scratch(dense.packed_size(k, n));
  const std::ptrdiff_t sm = static_cast<std::ptrdiff_t>(m), sn = static_cast<std::ptrdiff_t>(n),
                       sk = static_cast<std::ptrdiff_t>(k);
  dense.pack({b.data(), b_transposed ? 1 : sn, b_transposed ? sk : 1, packed.data(), k, n});
  std::vector<float> c = start;
  dense.gemm({a.data(), a_transposed ? 1 : sk, a_transposed ? sm : 1, packed.data(),
              bias ? row.data() : nullptr, c.data(), sn + 3, m, n, k, accumulate});
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n + 3; ++j) {
      const float before = start[i * (n + 3) + j];
      if (j >= n) {
        ASSERT_EQ(c[i * (n + 3) + j], before) << "wrote beyond the row";
        continue;
      }
      double sum = (bias ? row[j] : 0.0) + (accumulate ? before : 0.0), size = std::fabs(sum);
      for (std::size_t l = 0; l < k; ++l) {
        const double product = static_cast<double>(a[a_transposed ? l * m + i : i * k + l]) *
                               static_cast<double>(b[b_transposed ? j * k + l : l * n + j]);
        sum += product;
        size += std::fabs(product);
      }
      ASSERT_NEAR(c[i * (n + 3) + j], sum, 0x1p-24 * (std::sqrt(static_cast<double>(k)) * 2 + 4) * size)
          << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
  }
}

TEST_P(DenseOn, ProductOfEverySmallShape) {
  for (std::size_t m = 1; m <= 14; ++m) {
    for (std::size_t n = 1; n <= 40; n += m % 3 + 1) {
      for (std::size_t k : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 40}) {
        check_gemm(dense(), m, n, k, (m + n) % 2 == 0, (n + k) % 3 != 0, (m + k) % 2 == 0,
                   (m * n + k) % 3 == 0);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(DenseOn, ProductOfLargerShapes) {
  for (bool a_transposed : {false, true}) {
    for (bool b_transposed : {false, true}) {
      check_gemm(dense(), 1, 300, 257, a_transposed, b_transposed, true, false);
      check_gemm(dense(), 131, 70, 64, a_transposed, b_transposed, false, false);
      check_gemm(dense(), 9, 65, 1500, a_transposed, b_transposed, true, true);
      check_gemm(dense(), 3, 129, 0, a_transposed, b_transposed, true, true);
      check_gemm(dense(), 3, 129, 0, a_transposed, b_transposed, false, false);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(DenseOn, ProductOfARowDoesNotDependOnTheOthers) {
  const std::size_t m = 29, n = 147, k = 700;
  TestData sample(3);
  const auto a = sample.floats(m * k), b = sample.floats(n * k);
  auto packed = nn_support::scratch(dense().packed_size(k, n));
  dense().pack({b.data(), 1, k, packed.data(), k, n});
  std::vector<float> all(m * n), one(n);
  dense().gemm({a.data(), k, 1, packed.data(), nullptr, all.data(), n, m, n, k, false});
  for (std::size_t i = 0; i < m; ++i) {
    dense().gemm({a.data() + i * k, k, 1, packed.data(), nullptr, one.data(), n, 1, n, k, false});
    ASSERT_EQ(std::memcmp(one.data(), all.data() + i * n, n * sizeof(float)), 0) << i;
  }
}

TEST_P(DenseOn, Softmax) {
  for (std::size_t columns = 1; columns <= 40; ++columns) {
    const std::size_t rows = 3;
    TestData sample(columns);
    auto x = sample.floats(rows * columns);
    const auto bias = sample.floats(rows * columns);
    std::vector<float> mask(columns, 0.0F), y(rows * columns);
    for (std::size_t j = 1; j < columns; j += 3) mask[j] = -infinity;
    const float scale = columns % 2 == 0 ? -3.0F : 8.0F;
    const auto stride = static_cast<std::ptrdiff_t>(columns);
    dense().softmax(
        {x.data(), stride, y.data(), stride, rows, columns, scale, bias.data(), stride, mask.data()});
    for (std::size_t i = 0; i < rows; ++i) {
      double largest = -1e300, sum = 0;
      const auto score = [&](std::size_t j) {
        return static_cast<double>(x[i * columns + j]) * scale + bias[i * columns + j] + mask[j];
      };
      for (std::size_t j = 0; j < columns; ++j) largest = std::max(largest, score(j));
      for (std::size_t j = 0; j < columns; ++j) sum += std::exp(score(j) - largest);
      for (std::size_t j = 0; j < columns; ++j) {
        if (mask[j] != 0.0F) {
          ASSERT_EQ(y[i * columns + j], 0.0F);
        }
        ASSERT_NEAR(y[i * columns + j], std::exp(score(j) - largest) / sum, 4e-6) << columns;
      }
      float total = dense().log_sum_exp(x.data() + i * columns, columns);
      double plain = 0;
      for (std::size_t j = 0; j < columns; ++j) plain += std::exp(static_cast<double>(x[i * columns + j]));
      ASSERT_NEAR(total, std::log(plain), 1e-6);
    }
    dense().softmax(
        {x.data(), stride, x.data(), stride, rows, columns, scale, bias.data(), stride, mask.data()});
    ASSERT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(float)), 0) << "in place";
  }
}

TEST_P(DenseOn, ElementwiseOnEveryLength) {
  for (std::size_t count = 0; count <= 40; ++count) {
    TestData sample(count + 1);
    const auto x = sample.floats(count), y = sample.floats(count);
    std::vector<double> sum(count), weighted(count), scaled(count), shifted(count);
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum[i] = static_cast<double>(y[i]) + x[i];
      weighted[i] = static_cast<double>(y[i]) + 0.25 * x[i];
      scaled[i] = 0.25 * x[i];
      shifted[i] = 0.25 * std::exp(x[i] - 0.5);
      squares += static_cast<double>(x[i]) * x[i];
    }
    auto out = y;
    out.push_back(7.0F);  // what lies behind stays
    dense().add(x.data(), out.data(), count);
    EXPECT_LE(distance(out.data(), sum), 1e-7);
    std::copy(y.begin(), y.end(), out.begin());
    dense().axpy(0.25F, x.data(), out.data(), count);
    EXPECT_LE(distance(out.data(), weighted), 1e-7);
    dense().scale(0.25F, x.data(), out.data(), count);
    EXPECT_LE(distance(out.data(), scaled), 0.0);
    dense().exp_shifted(x.data(), 0.5F, 0.25F, out.data(), count);
    EXPECT_LE(distance(out.data(), shifted), 3e-7);
    EXPECT_EQ(out.back(), 7.0F);
    EXPECT_NEAR(dense().sum_squares(x.data(), count), squares, 1e-13 * squares);
    const std::size_t rows = 5;
    const auto matrix = sample.floats(rows * count);
    std::vector<double> columns = doubles(y);
    for (std::size_t i = 0; i < matrix.size(); ++i) columns[i % count] += matrix[i];
    std::copy(y.begin(), y.end(), out.begin());
    dense().add_rows(matrix.data(), out.data(), rows, count);
    EXPECT_LE(distance(out.data(), columns), 5e-7);
  }
}

TEST_P(DenseOn, AdamFollowsThePaper) {
  const std::size_t count = 37;
  TestData sample(1);
  auto parameter = sample.floats(count);
  std::vector<float> m(count, 0.0F), v(count, 0.0F);
  std::vector<double> p = doubles(parameter), dm(count, 0.0), dv(count, 0.0);
  const double rate = 0.01, beta1 = 0.9, beta2 = 0.98, eps = 1e-6, decay = 0.1;
  for (int step = 1; step <= 20; ++step) {
    const auto gradient = sample.floats(count);
    const double c1 = 1 / (1 - std::pow(beta1, step)), c2 = 1 / (1 - std::pow(beta2, step));
    dense().adam({parameter.data(), gradient.data(), m.data(), v.data(), count, static_cast<float>(rate),
                  static_cast<float>(beta1), static_cast<float>(beta2), static_cast<float>(eps),
                  static_cast<float>(c1), static_cast<float>(c2), static_cast<float>(decay), 0.5F});
    for (std::size_t i = 0; i < count; ++i) {
      const double g = 0.5 * gradient[i];
      dm[i] = beta1 * dm[i] + (1 - beta1) * g;
      dv[i] = beta2 * dv[i] + (1 - beta2) * g * g;
      p[i] = p[i] * (1 - rate * decay) - rate * c1 * dm[i] / (std::sqrt(c2 * dv[i]) + eps);
    }
  }
  EXPECT_LE(distance(parameter, p), 2e-6);
  EXPECT_LE(distance(m, dm), 1e-6);
  EXPECT_LE(distance(v, dv), 1e-6);
}

/// Values without the C library: a linear congruential generator, in (-4, 4).
std::vector<float> plain_values(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<std::int32_t>(seed) >> 8) * 0x1p-21F;
  }
  return values;
}

std::uint64_t hash(std::uint64_t before, const std::vector<float>& values) {  // FNV-1a
  for (float value : values) before = (before ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3U;
  return before;
}

TEST_P(DenseOn, BitsAreThoseOfTheClass) {
  // Architectures without FMA (sse2, wasm) give one set of bits, those with it (avx2, avx512) another:
  // whatever the compiler, the processor, the length of a vector.
  const std::size_t m = 13, n = 53, k = 601;
  const auto a = plain_values(m * k, 1), b = plain_values(n * k, 2), x = plain_values(m * n, 3),
             row = plain_values(n, 4), column = plain_values(n, 5);
  std::uint64_t bits = 0xCBF29CE484222325U;
  auto packed = nn_support::scratch(dense().packed_size(k, n));
  dense().pack({b.data(), 1, k, packed.data(), k, n});
  std::vector<float> y(m * n), z(m * n), mean(m), rstd(m), dgamma(n), dbeta(n);
  dense().gemm({a.data(), k, 1, packed.data(), row.data(), y.data(), n, m, n, k, false});
  bits = hash(bits, y);
  dense().softmax({x.data(), n, y.data(), n, m, n, 1.7F, nullptr, 0, row.data()});
  bits = hash(bits, y);
  z = x;
  dense().softmax_backward({y.data(), n, z.data(), n, m, n, 1.7F, nullptr, 0});
  bits = hash(bits, z);
  const auto layer = NormKind::layer;
  dense().norm({layer, x.data(), n, nullptr, nullptr, row.data(), column.data(), y.data(), n, mean.data(),
                rstd.data(), m, n, 1e-12F});
  bits = hash(hash(bits, y), rstd);
  dense().norm_backward({layer, y.data(), n, x.data(), n, row.data(), mean.data(), rstd.data(), z.data(),
                         dgamma.data(), dbeta.data(), m, n});
  bits = hash(hash(bits, z), dgamma);
  for (std::size_t i = 0; i < 5; ++i) {
    dense().activation[i](x.data(), y.data(), y.size());
    dense().activation_backward[i](x.data(), y.data(), z.data(), z.size());
    bits = hash(hash(bits, y), z);
  }
  bits = hash(bits, {dense().log_sum_exp(x.data(), x.size()),
                     static_cast<float>(dense().sum_squares(x.data(), x.size()))});
  EXPECT_EQ(bits, arch::active()->fused ? 0x2415BEA288B781CEU : 0xBCBB59D8122967BBU) << std::hex << bits;
}

}  // namespace dense_test
}  // namespace ropewalk
