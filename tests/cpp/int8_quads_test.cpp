// The form of the products of bytes that has four columns in a word: its layout, its offsets and its sums, with a dot product
// written out here in place of the instruction, which no machine of the tests need have. The package's check when it
// loads a model, and the tests in a browser, run the instruction itself.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "arch/select.hpp"
#include "base/buffer.hpp"
#include "kernels/int8.inl.hpp"
#include "kernels/int8_blocks.inl.hpp"
#include "test_data.hpp"

namespace ropewalk::kernels {
namespace {

#if defined(__wasm__)
using Four = xsimd::wasm;
#elif defined(__aarch64__)
using Four = xsimd::neon64;
#else
using Four = xsimd::sse2;
#endif

/// How often a byte was not what the instruction is defined for.
int beyond = 0;

}  // namespace

template <>
struct Dot4<Four> {
  static Ints<Four> add(Ints<Four> a, Ints<Four> b, Ints<Four> sum) noexcept {
    std::int32_t lanes[3][4];
    a.store_unaligned(lanes[0]);
    b.store_unaligned(lanes[1]);
    sum.store_unaligned(lanes[2]);
    std::int8_t bytes[2][16];
    std::memcpy(bytes, lanes, sizeof(bytes));
    for (int i = 0; i < 16; ++i) {
      beyond += bytes[1][i] < 0 ? 1 : 0;
      lanes[2][i / 4] += bytes[0][i] * bytes[1][i];
    }
    return Ints<Four>::load_unaligned(lanes[2]);
  }
};

namespace {

constexpr RowsKernels by_rows = make_rows<Quads<Four>>();
constexpr BlocksKernels by_blocks = make_blocks<Quads<Four>>();

const std::array<std::array<std::size_t, 3>, 5> shapes = {
    {{1, 1, 1}, {7, 33, 18}, {25, 64, 256}, {49, 131, 65}, {3, 4096, 8}}};

template <class T>
Buffer<T> zeros(std::size_t count) {
  Buffer<T> buffer;
  EXPECT_TRUE(buffer.allocate(count, "test").ok());
  std::memset(buffer.data(), 0, count * sizeof(T));
  return buffer;
}

/// Rows and their product.
struct Found {
  std::vector<float> rows, product;
};

Found found(const RowsKernels& kernels, const std::vector<float>& x, const std::vector<float>& w,
            std::array<std::size_t, 3> shape, const float* bias) {
  const auto [m, k, n] = shape;
  auto packed = zeros<std::int8_t>(int8_size(k, n));
  auto scale = zeros<float>(int8_weight_rows(n));
  auto scratch = zeros<std::int32_t>(int8_scratch(k));
  Found all{std::vector<float>(n * k), std::vector<float>(m * n)};
  auto* const row = reinterpret_cast<float*>(scratch.data());
  kernels.pack({w.data(), 0, n / 2, k, packed.data(), scale.data(), row, false});
  kernels.pack({&w[n / 2 * k], n / 2, n - n / 2, k, packed.data(), scale.data(), row, false});
  for (std::size_t i = 0; i < n; ++i) kernels.unpack({packed.data(), scale.data(), i, k, &all.rows[i * k]});
  kernels.gemm({x.data(), packed.data(), scale.data(), bias, all.product.data(), scratch.data(), m, n, k});
  return all;
}

Found found(const BlocksKernels& kernels, const std::vector<float>& x, const std::vector<float>& w,
            std::array<std::size_t, 3> shape, const float* bias) {
  const auto [m, k, n] = shape;
  auto packed = zeros<std::int8_t>(blocks_size(k, n));
  auto scratch = zeros<std::int32_t>(blocks_scratch(k));
  Found all{std::vector<float>(n * k), std::vector<float>(m * n)};
  for (std::size_t i = 0; i < n; ++i) {
    kernels.pack({&w[i * k], i, 1, k, packed.data(), false});
    kernels.scale({packed.data(), i, k, 1.25F});
    kernels.unpack({packed.data(), i, k, &all.rows[i * k]});
  }
  kernels.gemm({x.data(), packed.data(), bias, all.product.data(), scratch.data(), m, n, k});
  return all;
}

template <class Kernels>
void expect_same(const Kernels& quads, const Kernels& others) {
  for (const auto& shape : shapes) {
    const auto [m, k, n] = shape;
    TestData sample(n);
    const auto x = sample.floats(m * k), w = sample.floats(n * k), b = sample.floats(n);
    for (const float* bias : {static_cast<const float*>(nullptr), b.data()}) {
      const Found one = found(quads, x, w, shape, bias), other = found(others, x, w, shape, bias);
      EXPECT_EQ(one.rows, other.rows) << m << " " << k << " " << n;
      EXPECT_EQ(one.product, other.product) << m << " " << k << " " << n;
    }
  }
}

TEST(Quads, GiveTheBitsOfPairsWithAScaleForEachRow) {
  beyond = 0;
  expect_same(by_rows, arch::int8(arch::active()).rows);
  EXPECT_EQ(beyond, 0);
}

TEST(Quads, GiveTheBitsOfPairsWithAScaleForEachBlock) {
  beyond = 0;
  expect_same(by_blocks, arch::int8(arch::active()).blocks);
  EXPECT_EQ(beyond, 0);
}

TEST(Quads, PassNaNInItsRowAlone) {
  const std::array<std::size_t, 3> shape = {9, 70, 20};
  const auto [m, k, n] = shape;
  TestData sample(1);
  auto x = sample.floats(m * k), w = sample.floats(n * k);
  x[2 * k + 7] = std::nanf("");
  x[8 * k + 69] = HUGE_VALF;
  w[3 * k + 5] = -HUGE_VALF;
  for (const auto& product :
       {found(by_rows, x, w, shape, nullptr).product, found(by_blocks, x, w, shape, nullptr).product})
    for (std::size_t i = 0; i < m * n; ++i)
      EXPECT_EQ(std::isnan(product[i]), i / n == 2 || i / n == 8 || i % n == 3) << i;
}

}  // namespace
}  // namespace ropewalk::kernels
