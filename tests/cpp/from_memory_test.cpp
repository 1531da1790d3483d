// Arrays beyond the caches are rotated in another order, which reads ahead: the same bits, and nothing outside the array.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "arch/select.hpp"
#include "each_architecture.hpp"
#include "kernels/rotate.hpp"
#include "ropewalk/dtype.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk {
namespace from_memory_test {

struct Shape {
  std::size_t outer, inner, head_dim;
  std::ptrdiff_t gap;  // elements between heads
};

/// Heads shorter and longer than a page, rows shorter and longer than the way ahead, an end within it.
constexpr Shape shapes[] = {{1, 1, 8, 0},     {1, 100, 64, 0},  {300, 3, 64, 0},
                            {40, 32, 128, 0}, {3, 200, 128, 3}, {5, 7, 3000, 1},
                            {700, 1, 20, 0},  {90, 12, 64, 64}, {2, 300, 20, 0}};

class FromMemoryOn : public EachArchitecture {};

/// The result of the kernel for `x`, in place or apart from it, in memory without a byte to spare.
std::vector<char> rotated(const Shape& shape, DType dtype, Pairing pairing, bool apart, bool own_rows,
                          bool streaming) {
  const std::size_t element = size_of(dtype), heads = shape.outer * shape.inner;
  const auto step = static_cast<std::ptrdiff_t>(shape.head_dim) + shape.gap;
  const std::size_t size = (heads - 1) * static_cast<std::size_t>(step) + shape.head_dim;
  std::mt19937 random(7);
  std::vector<char> x(size * element);
  for (std::size_t i = 0; i < size; ++i) {
    const float number = static_cast<float>(random() % 4096) / 1024 - 2;
    // Any normal number will do for the 16-bit types.
    const auto pattern = static_cast<std::uint16_t>(0x3000 + random() % 0x0fff);
    if (element == 4) std::memcpy(&x[4 * i], &number, 4);
    if (element == 2) std::memcpy(&x[2 * i], &pattern, 2);
  }
  const std::size_t pairs = shape.head_dim / 2, rows = own_rows ? heads : shape.outer;
  std::vector<float> cos(rows * pairs), sin(rows * pairs);
  for (float& c : cos) c = static_cast<float>(random() % 1024) / 1024;
  for (float& s : sin) s = static_cast<float>(random() % 1024) / 1024;
  std::vector<char> y = apart ? std::vector<char>(x.size(), 1) : std::vector<char>();
  kernels::RotateJob job{};
  job.x = x.data();
  job.y = apart ? y.data() : x.data();
  job.outer = shape.outer, job.inner = shape.inner;
  job.x_inner = job.y_inner = step;
  job.x_outer = job.y_outer = static_cast<std::ptrdiff_t>(shape.inner) * step;
  job.cos = cos.data(), job.sin = sin.data();
  job.table_inner = own_rows ? static_cast<std::ptrdiff_t>(pairs) : 0;
  job.table_outer = static_cast<std::ptrdiff_t>(own_rows ? shape.inner * pairs : pairs);
  job.pairs = pairs, job.head_dim = shape.head_dim, job.streaming = streaming;
  arch::active()->rotate.of[static_cast<int>(dtype)][static_cast<int>(pairing)](job);
  return apart ? y : x;
}

TEST_P(FromMemoryOn, TheBitsAreThoseOfArraysInTheCache) {
  for (const Shape& shape : shapes) {
    for (DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
      for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
        for (int way = 0; way < 4; ++way) {
          const bool apart = way % 2 == 1, own_rows = way / 2 == 1;
          const auto by = [&](bool streaming) {
            return rotated(shape, dtype, pairing, apart, own_rows, streaming);
          };
          ASSERT_EQ(by(true), by(false))
              << shape.outer << " x " << shape.inner << " x " << shape.head_dim << ", type "
              << static_cast<int>(dtype) << ", pairing " << static_cast<int>(pairing) << ", way " << way;
        }
      }
    }
  }
}

ON_EACH_ARCHITECTURE(FromMemoryOn);

}  // namespace from_memory_test
}  // namespace ropewalk
