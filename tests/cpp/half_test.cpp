// float16 and bfloat16: every value both ways, and rotation as float32 rounded once.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "arch/select.hpp"
#include "base/half.hpp"
#include "each_architecture.hpp"
#include "ropewalk/rope.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace half_test {

using Halves = std::vector<std::uint16_t>;
using Floats = std::vector<float>;

/// By distance rather than by bits, so that it shares nothing with what it tests.
std::uint16_t nearest_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  auto low = static_cast<std::uint16_t>(bits >> 16);
  if (std::isnan(value)) return static_cast<std::uint16_t>(low | 0x40u);
  if (std::isinf(value)) return low;
  const auto number = [](std::uint16_t half) {
    const float decoded = from_bfloat16(half);
    return std::isinf(decoded) ? std::copysign(0x1p128, static_cast<double>(decoded))
                               : static_cast<double>(decoded);
  };
  const auto high = static_cast<std::uint16_t>(low + 1);
  const double below = std::fabs(value - number(low)), above = std::fabs(number(high) - value);
  return above < below || (above == below && low % 2 == 1) ? high : low;
}

struct Type {
  DType dtype;
  float (*decode)(std::uint16_t);
  std::uint16_t (*encode)(float);
  bool is_nan(std::uint16_t half) const { return std::isnan(decode(half)); }
};
constexpr Type types[] = {{DType::float16, from_float16, to_float16},
                          {DType::bfloat16, from_bfloat16, nearest_bfloat16}};

TEST(Half, RoundsToTheNearestBfloat16) {
  // Every bfloat16, and the halves and the neighbours of the halves between them.
  for (std::uint32_t high = 0; high < 65536; ++high) {
    for (const std::uint32_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const auto value = std::bit_cast<float>(high << 16 | low);
      ASSERT_EQ(to_bfloat16(value), nearest_bfloat16(value)) << high << " " << low;
    }
  }
}

class HalfOn : public EachArchitecture {
 protected:
  /// a * c of each a, by a kernel whose pairs are (a, +0) and whose table is (c, 0).
  static Halves scaled(DType dtype, Pairing pairing, const Halves& a, const Floats& c) {
    const std::size_t n = a.size();
    Halves x(2 * n);
    const auto channel = [&](std::size_t i) { return pairing == Pairing::half ? i : 2 * i; };
    for (std::size_t i = 0; i < n; ++i) x[channel(i)] = a[i];
    const Floats sin(n, 0.0F);
    kernels::RotateJob job{};
    job.x = job.y = x.data();
    job.outer = job.inner = 1;
    job.cos = c.data();
    job.sin = sin.data();
    job.pairs = n;
    job.head_dim = 2 * n;
    arch::active()->rotate.of[static_cast<int>(dtype)][static_cast<int>(pairing)](job);
    Halves y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = x[channel(i)];
    return y;
  }
};
ON_EACH_ARCHITECTURE(HalfOn);

TEST_P(HalfOn, ReadsEveryValue) {
  Halves all(65536 + 3);  // and a tail
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const Type& type : types) {
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      // Factors that bring every part of the range to where it is exact, and some that round.
      for (float factor : {1.0F, 0x1p24F, 0x1p-10F, 0x1p100F, 0x1p-100F, -1.0F, 0.1F, 3.0F}) {
        const Halves y = scaled(type.dtype, pairing, all, Floats(all.size(), factor));
        for (std::size_t i = 0; i < all.size(); ++i) {
          const float product = type.decode(all[i]) * factor;
          if (std::isnan(product)) {
            ASSERT_TRUE(type.is_nan(y[i])) << std::hex << all[i];
          } else {
            ASSERT_EQ(y[i], type.encode(product)) << std::hex << all[i] << " times " << factor;
          }
        }
      }
    }
  }
}

TEST_P(HalfOn, RoundsEveryNumberToNearestEven) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const Type& type : types) {
    const std::uint16_t one = type.encode(1.0F);
    Floats values = {infinity, -infinity, 0.0F, -0.0F, 65519.996F, 65520.0F, 65536.0F};
    for (std::uint64_t bits = 0; bits < 1ULL << 32; bits += 8209) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (!std::isnan(value)) values.push_back(value);  // a table holds none
    }
    // Ties, and the numbers next to them.
    for (std::uint32_t half = 0; half < 65535; ++half) {
      const double low = type.decode(static_cast<std::uint16_t>(half));
      const double high = type.decode(static_cast<std::uint16_t>(half + 1));
      const auto tie = static_cast<float>((low + high) / 2);
      if (!std::isfinite(tie)) continue;
      for (float value : {tie, std::nextafter(tie, infinity), std::nextafter(tie, -infinity)})
        values.push_back(value);
    }
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      const Halves y = scaled(type.dtype, pairing, Halves(values.size(), one), values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(y[i], type.encode(values[i])) << values[i];
      }
    }
  }
}

TEST_P(HalfOn, KeepsWhatAQuietNaNCarries) {
  for (const Type& type : types) {
    Halves nans;
    const auto quiet = static_cast<std::uint16_t>(type.dtype == DType::float16 ? 0x200 : 0x40);
    for (std::uint32_t half = 0; half < 65536; ++half) {
      if (type.is_nan(static_cast<std::uint16_t>(half))) nans.push_back(static_cast<std::uint16_t>(half));
    }
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      const Halves y = scaled(type.dtype, pairing, nans, Floats(nans.size(), 1.0F));
      for (std::size_t i = 0; i < nans.size(); ++i) {
        ASSERT_EQ(y[i], nans[i] | quiet) << std::hex << nans[i];
      }
    }
  }
}

TEST_P(HalfOn, OneUnusualNumberChangesNoOther) {
  constexpr std::size_t n = 37;
  for (const Type& type : types) {
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      for (std::size_t at = 0; at < n; ++at) {
        // Infinity and NaN to read, in x; numbers that become infinity, or nearly, in what is written.
        for (float unusual : {std::numeric_limits<float>::infinity(), std::nanf(""), 65504.0F, -30000.0F}) {
          for (float factor : {0.7F, 1.0F, 1.0003F, 2.1837F, 1e30F}) {
            Halves x(n);
            Floats factors(n, 0.7F);
            for (std::size_t i = 0; i < n; ++i) x[i] = type.encode(0.01F * static_cast<float>(i));
            x[at] = type.encode(unusual);
            factors[at] = factor;
            const Halves y = scaled(type.dtype, pairing, x, factors);
            for (std::size_t i = 0; i < n; ++i) {
              ASSERT_EQ(y[i], type.encode(type.decode(x[i]) * factors[i]))
                  << i << ", " << unusual << " at " << at;
            }
          }
        }
      }
    }
  }
}

TEST_P(HalfOn, RotatesAsFloat32RoundedOnce) {
  TestData sample(1);
  for (const Type& type : types) {
    const auto in = [&](Halves& x) { return MutableArrayRef(x.data(), x.size(), type.dtype); };
    const auto from = [&](const Halves& x) { return ArrayRef(x.data(), x.size(), type.dtype); };
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      for (std::size_t rotary_dim = 2; rotary_dim <= 72; rotary_dim += 2) {
        for (std::size_t heads : {1, 2, 3}) {
          const std::size_t offset = rotary_dim % 3, head_dim = rotary_dim + offset + rotary_dim % 5;
          const Rope rope(
              {.head_dim = head_dim, .rotary_dim = rotary_dim, .rotary_offset = offset, .pairing = pairing});
          const Placement placement{.batch = 2, .sequence = 3, .heads = heads, .positions = 1000};
          Halves x;
          for (float value : sample.floats(6 * heads * head_dim)) x.push_back(type.encode(value));
          Floats wide;
          for (std::uint16_t half : x) wide.push_back(type.decode(half));
          rope.rotate(wide, wide, placement);
          Halves expected, y(x.size());
          for (float value : wide) expected.push_back(type.encode(value));
          rope.rotate(from(x), in(y), placement);
          ASSERT_EQ(y, expected) << "rotary_dim " << rotary_dim << " heads " << heads;
          rope.rotate(from(x), in(x), placement);  // in place
          ASSERT_EQ(x, expected);
        }
      }
    }
  }
}

TEST_P(HalfOn, PassesTheOtherChannelsAndKeepsNaNInItsPair) {
  for (const Type& type : types) {
    const std::size_t D = 40, d = 32;
    const Rope rope({.head_dim = D, .rotary_dim = d, .rotary_offset = 4});
    const std::uint16_t signalling = type.dtype == DType::float16 ? 0x7c01 : 0x7f81;
    Halves x(D, type.encode(1.0F)), y(D);
    x[0] = x[D - 1] = signalling;
    x[10] = type.encode(std::nanf(""));
    x[21] = type.encode(std::numeric_limits<float>::infinity());
    rope.rotate({x.data(), D, type.dtype}, {y.data(), D, type.dtype},
                {.sequence = 1, .heads = 1, .positions = 3});
    for (std::size_t i : {0, 1, 2, 3, 36, 37, 38, 39}) EXPECT_EQ(y[i], x[i]) << i;
    for (std::size_t i = 4; i < 36; ++i) {
      EXPECT_EQ(std::isfinite(type.decode(y[i])), i / 2 != 5 && i / 2 != 10) << i;
    }
  }
}

}  // namespace half_test
}  // namespace ropewalk
