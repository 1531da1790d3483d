// The linear layer against its specification, and the specification's gradients against differences.

#include "nn/linear.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arch/select.hpp"
#include "base/half.hpp"
#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/int8_blocks.hpp"
#include "reference/int8_rows.hpp"
#include "reference/linear.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_linear_test {

using nn_support::distance;
using nn_support::doubles;

class LinearOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(LinearOn);

TEST(LinearReference, GradientsAreThoseOfDifferences) {
  const std::size_t m = 3, k = 5, n = 4;
  TestData sample(1);
  auto x = doubles(sample.floats(m * k)), w = doubles(sample.floats(n * k)), b = doubles(sample.floats(n));
  const auto dy = doubles(sample.floats(m * n));
  std::vector<double> y(m * n), dx(m * k), dw(n * k, 0.0), db(n, 0.0);
  const auto loss = [&] {
    reference::linear_forward(y.data(), x.data(), w.data(), b.data(), m, k, n);
    return nn_support::dot(y, dy);
  };
  reference::linear_backward(dx.data(), dw.data(), db.data(), dy.data(), x.data(), w.data(), m, k, n);
  nn_support::expect_gradient(x, dx, loss, "x");
  nn_support::expect_gradient(w, dw, loss, "w");
  nn_support::expect_gradient(b, db, loss, "b");
}

TEST_P(LinearOn, EqualsItsSpecification) {
  for (const auto& [m, k, n] :
       {std::array<std::size_t, 3>{1, 1, 1}, {7, 33, 18}, {16, 64, 256}, {33, 130, 65}}) {
    TestData sample(m);
    const auto x = sample.floats(m * k), w = sample.floats(n * k), b = sample.floats(n),
               dy = sample.floats(m * n);
    std::vector<double> y(m * n), dx(m * k), dw(n * k, 1.0), db(n, 1.0);
    reference::linear_forward(y.data(), doubles(x).data(), doubles(w).data(), doubles(b).data(), m, k, n);
    reference::linear_backward(dx.data(), dw.data(), db.data(), doubles(dy).data(), doubles(x).data(),
                               doubles(w).data(), m, k, n);
    nn::PackedWeight packed;
    ASSERT_TRUE(packed.pack(nn_support::compute(), w.data(), n, k).ok());
    std::vector<float> fy(m * n), fdx(m * k), fdw(n * k, 1.0F), fdb(n, 1.0F);
    nn::linear_forward(nn_support::compute(), fy.data(), x.data(), packed, b.data(), m);
    EXPECT_LE(distance(fy, y), 1e-6);
    auto scratch = nn_support::scratch(nn::linear_backward_scratch(m, k, n));
    nn::linear_backward(nn_support::compute(), fdx.data(), fdw.data(), fdb.data(), dy.data(), x.data(),
                        w.data(), m, k, n, scratch.data());
    EXPECT_LE(distance(fdx, dx), 1e-6);
    EXPECT_LE(distance(fdw, dw), 1e-6);
    EXPECT_LE(distance(fdb, db), 1e-6);
    fdw.assign(n * k, 1.0F);
    nn::linear_backward(nn_support::compute(), nullptr, fdw.data(), nullptr, dy.data(), x.data(), w.data(), m,
                        k, n, scratch.data());
    EXPECT_LE(distance(fdw, dw), 1e-6);
  }
}

TEST_P(LinearOn, AWeightKeepsTheKernelsItWasPackedFor) {
  const std::size_t m = 5, k = 40, n = 70;
  TestData sample(2);
  const auto x = sample.floats(m * k), w = sample.floats(n * k);
  nn::PackedWeight packed;
  ASSERT_TRUE(packed.pack(nn_support::compute(), w.data(), n, k).ok());
  std::vector<float> before(m * n), after(m * n);
  nn::linear_forward(nn_support::compute(), before.data(), x.data(), packed, nullptr, m);
  for (const kernels::Kernels* other : arch::supported()) {
    arch::use(*other);
    nn::linear_forward(nn_support::compute(), after.data(), x.data(), packed, nullptr, m);
    EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(float)), 0) << other->name;
  }
}

TEST_P(LinearOn, BothOrientationsAreTheSame) {
  const std::size_t m = 4, k = 19, n = 37;
  TestData sample(3);
  const auto x = sample.floats(m * k), w = sample.floats(n * k);
  std::vector<float> matrix(k * n), a(m * n), b(m * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < k; ++j) matrix[j * n + i] = w[i * k + j];
  }
  nn::PackedWeight rows, columns;
  ASSERT_TRUE(rows.pack(nn_support::compute(), w.data(), n, k).ok());
  ASSERT_TRUE(columns.pack_transposed(nn_support::compute(), matrix.data(), k, n).ok());
  nn::linear_forward(nn_support::compute(), a.data(), x.data(), rows, nullptr, m);
  nn::linear_forward(nn_support::compute(), b.data(), x.data(), columns, nullptr, m);
  EXPECT_EQ(a, b);
}

TEST_P(LinearOn, EightBitsAreExactIntegerSums) {
  for (const auto& [m, k, n] : {std::array<std::size_t, 3>{1, 1, 1},
                                {7, 33, 18},
                                {25, 64, 256},
                                {49, 131, 65},
                                {3, 4096, 8},
                                {6, 384, 33},
                                {2, 2304, 9}}) {
    TestData sample(n);
    const auto x = sample.floats(m * k), w = sample.floats(n * k), b = sample.floats(n);
    nn::PackedWeight packed;
    ASSERT_TRUE(packed.pack_int8(nn_support::compute(), w.data(), n, k).ok());
    std::vector<float> y(m * n), plain(m * n);
    nn::linear_forward(nn_support::compute(), y.data(), x.data(), packed, b.data(), m);
    nn::linear_forward(nn_support::compute(), plain.data(), x.data(), packed, nullptr, m);
    for (std::size_t i = 0; i < m; ++i) {
      const reference::Rotated row = reference::rotated(std::span(x).subspan(i * k, k), 63, 64);
      for (std::size_t j = 0; j < n; ++j) {
        const reference::Rotated column = reference::rotated(std::span(w).subspan(j * k, k), 127);
        float sum = 0;
        for (std::size_t group = 0; group < row.steps.size(); ++group) {
          int whole = 0;
          for (std::size_t at = 64 * group; at < std::min(64 * (group + 1), row.integers.size()); ++at)
            whole += row.integers[at] * column.integers[at];
          sum += static_cast<float>(whole) * row.steps[group];
        }
        const float expected = sum * (column.steps.front() / static_cast<float>(column.size));
        ASSERT_EQ(plain[i * n + j], expected) << m << " " << k << " " << n << ": " << i << ", " << j;
        ASSERT_EQ(y[i * n + j], expected + b[j]);
      }
    }
  }
}

TEST_P(LinearOn, EightBitsKeepToTheirErrorAndPassNaN) {
  const std::size_t m = 30, k = 256, n = 40;
  TestData sample(3);
  auto x = sample.floats(m * k), w = sample.floats(n * k);
  std::vector<double> exact(m * n);
  reference::linear_forward(exact.data(), doubles(x).data(), doubles(w).data(), std::vector<double>(n).data(),
                            m, k, n);
  nn::PackedWeight packed;
  ASSERT_TRUE(packed.pack_int8(nn_support::compute(), w.data(), n, k).ok());
  std::vector<float> y(m * n);
  nn::linear_forward(nn_support::compute(), y.data(), x.data(), packed, nullptr, m);
  double size = 0, error = 0;
  for (std::size_t i = 0; i < m * n; ++i) {
    size += exact[i] * exact[i];
    error += (y[i] - exact[i]) * (y[i] - exact[i]);
  }
  EXPECT_GT(error, 0);
  EXPECT_LT(std::sqrt(error / size), 0.02);
  // A number that is not finite spoils its own row of x, or its own column of y, and nothing else.
  x[5 * k + 7] = std::nanf("");
  x[6 * k + 8] = HUGE_VALF;
  w[9 * k + 3] = -HUGE_VALF;
  std::fill_n(&x[7 * k], k, 0.0F);
  ASSERT_TRUE(packed.pack_int8(nn_support::compute(), w.data(), n, k).ok());
  std::vector<float> spoilt(m * n);
  nn::linear_forward(nn_support::compute(), spoilt.data(), x.data(), packed, nullptr, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const float value = spoilt[i * n + j];
      if (i == 5 || i == 6 || j == 9) {
        ASSERT_TRUE(std::isnan(value)) << i << ", " << j;
      } else {
        ASSERT_EQ(value, i == 7 ? 0.0F : y[i * n + j]) << i << ", " << j;
      }
    }
  }
}

nn::PackedWeight in_blocks(const std::vector<float>& w, std::size_t n, std::size_t k, bool whole = false) {
  nn::PackedWeight packed;
  EXPECT_TRUE(packed.reserve(nn_support::compute(), n, k, nn::WeightForm::int8_blocks).ok());
  for (std::size_t row = 0; row < n; ++row) packed.set_rows(row, 1, &w[row * k], whole);
  return packed;
}

TEST_P(LinearOn, BlocksAreExactIntegerSumsInAFixedOrder) {
  for (const auto& [m, k, n] :
       {std::array<std::size_t, 3>{1, 1, 1}, {7, 33, 18}, {25, 64, 256}, {49, 131, 65}, {3, 4096, 8}}) {
    TestData sample(n);
    const auto x = sample.floats(m * k), w = sample.floats(n * k), b = sample.floats(n);
    const nn::PackedWeight packed = in_blocks(w, n, k);
    std::vector<float> y(m * n), plain(m * n), one(n);
    nn::linear_forward(nn_support::compute(), y.data(), x.data(), packed, b.data(), m);
    nn::linear_forward(nn_support::compute(), plain.data(), x.data(), packed, nullptr, m);
    const std::vector<double> reference = reference::linear_in_blocks(x, w, m, k, n);
    for (std::size_t i = 0; i < m; ++i) {
      const reference::InBlocks row = reference::in_blocks(std::span(x).subspan(i * k, k), 63);
      double size = 0;
      for (std::size_t at = 0; at < k; ++at) size += std::fabs(x[i * k + at]);
      for (std::size_t j = 0; j < n; ++j) {
        const reference::InBlocks column = reference::in_blocks(std::span(w).subspan(j * k, k), 127);
        float expected = 0;
        for (std::size_t block = 0; block < row.scales.size(); ++block) {
          int sum = 0;
          for (std::size_t at = 32 * block; at < std::min(k, 32 * block + 32); ++at)
            sum += row.integers[at] * column.integers[at];
          expected = expected + static_cast<float>(sum) * (column.scales[block] * row.scales[block]);
        }
        ASSERT_EQ(plain[i * n + j], expected) << m << " " << k << " " << n << ": " << i << ", " << j;
        ASSERT_EQ(y[i * n + j], expected + b[j]);
        ASSERT_NEAR(expected, reference[i * n + j], 1e-6 * size);
      }
    }
    // One row alone has the bits of that row among others.
    nn::linear_forward(nn_support::compute(), one.data(), &x[(m - 1) * k], packed, nullptr, 1);
    EXPECT_TRUE(std::ranges::equal(one, std::span(plain).last(n)));
  }
}

TEST_P(LinearOn, BlocksHaveASmallErrorAndKeepNaNToTheirRow) {
  const std::size_t m = 30, k = 1024, n = 40;
  TestData sample(3);
  auto x = sample.floats(m * k), w = sample.floats(n * k);
  // A channel far from the others, as activations have them.
  for (std::size_t i = 0; i < m; ++i) x[i * k + 100] *= 50;
  for (std::size_t j = 0; j < n; ++j) w[j * k + 100] /= 50;
  std::vector<double> exact(m * n);
  reference::linear_forward(exact.data(), doubles(x).data(), doubles(w).data(), std::vector<double>(n).data(),
                            m, k, n);
  const auto error_of = [&](const nn::PackedWeight& packed, std::vector<float>& y) {
    nn::linear_forward(nn_support::compute(), y.data(), x.data(), packed, nullptr, m);
    double size = 0, error = 0;
    for (std::size_t i = 0; i < m * n; ++i) {
      size += exact[i] * exact[i];
      error += (y[i] - exact[i]) * (y[i] - exact[i]);
    }
    return std::sqrt(error / size);
  };
  nn::PackedWeight rows;
  ASSERT_TRUE(rows.pack_int8(nn_support::compute(), w.data(), n, k).ok());
  std::vector<float> by_rows(m * n), y(m * n);
  const double of_rows = error_of(rows, by_rows), of_blocks = error_of(in_blocks(w, n, k), y);
  EXPECT_GT(of_blocks, 0);
  EXPECT_LT(of_blocks, 0.1);
  // Rotated rows spread it.
  EXPECT_GT(of_rows, 0);
  EXPECT_LT(of_rows, 0.05);
  x[5 * k + 7] = std::nanf("");
  x[6 * k + 8] = HUGE_VALF;
  w[9 * k + 3] = -HUGE_VALF;
  std::fill_n(&x[7 * k], k, 0.0F);
  std::fill_n(&x[8 * k], k, 1e-42F);
  std::vector<float> spoilt(m * n);
  nn::linear_forward(nn_support::compute(), spoilt.data(), x.data(), in_blocks(w, n, k), nullptr, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const float value = spoilt[i * n + j];
      if (i == 5 || i == 6 || j == 9) {
        ASSERT_TRUE(std::isnan(value)) << i << ", " << j;
      } else {
        ASSERT_EQ(value, i == 7 || i == 8 ? 0.0F : y[i * n + j]) << i << ", " << j;
      }
    }
  }
}

TEST_P(LinearOn, RotatedRowsAreThemselvesAgain) {
  for (const std::size_t k : {1U, 40U, 70U, 320U, 384U, 2300U, 3072U}) {
    const std::size_t n = 21;
    TestData sample(6);
    const auto w = sample.floats(n * k);
    nn::PackedWeight packed;
    ASSERT_TRUE(packed.pack_int8(nn_support::compute(), w.data(), n, k).ok());
    std::vector<float> row(k);
    for (std::size_t j = 0; j < n; ++j) {
      packed.row(j, row.data());
      for (std::size_t i = 0; i < k; ++i) ASSERT_NEAR(row[i], w[j * k + i], 0.06) << k;
    }
  }
}

TEST_P(LinearOn, BlocksKeepTheIntegersOfFiles) {
  const std::size_t k = 70, n = 21;
  TestData sample(5);
  std::vector<float> integers(n * k), q8_0(n * k), scales = sample.floats(n), row(k);
  for (std::size_t i = 0; i < n * k; ++i)
    integers[i] = static_cast<float>(static_cast<int>(i * 7919 % 127) - 63);
  nn::PackedWeight whole = in_blocks(integers, n, k, true);
  whole.multiply_scales(0, scales);
  // As Q8_0 has them: a float16 times whole numbers, of which the largest is 127.
  for (std::size_t i = 0; i < n * k; ++i) {
    const float d = from_float16(to_float16(0.001F * static_cast<float>(1 + i / k * 3 + i % k / 32)));
    q8_0[i] = d * static_cast<float>(i % k % 32 == 0 ? -127 : static_cast<int>(i * 7919 % 253) - 126);
  }
  const nn::PackedWeight blocks = in_blocks(q8_0, n, k);
  for (std::size_t j = 0; j < n; ++j) {
    whole.row(j, row.data());
    for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(row[i], integers[j * k + i] * scales[j]);
    blocks.row(j, row.data());
    for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(row[i], q8_0[j * k + i]);
  }
}

}  // namespace nn_linear_test
}  // namespace ropewalk
