// Rotation against the golden values, the scalar reference, and the properties that define it.

#include "ropewalk/rope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "arch/select.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "reference/rotate.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace rope_test {

using testing::Values;

class RopeOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(RopeOn);

/// Largest error of y against `expected`, in the lengths of the pairs it lies in.
double pair_error(const std::vector<float>& y, const std::vector<double>& expected, std::size_t head_dim,
                  std::size_t rotary_dim, Pairing pairing) {
  double worst = 0;
  const std::size_t pairs = rotary_dim / 2;
  for (std::size_t head = 0; head < y.size(); head += head_dim) {
    for (std::size_t j = 0; j < pairs; ++j) {
      const std::size_t a = head + reference::first_channel(pairing, pairs, j);
      const std::size_t b = head + reference::second_channel(pairing, pairs, j);
      const double length = std::hypot(expected[a], expected[b]);
      const double error = std::max(std::fabs(y[a] - expected[a]), std::fabs(y[b] - expected[b]));
      if (error > 0) worst = std::max(worst, error / length);
    }
  }
  return worst;
}

TEST_P(RopeOn, HoldsTheGoldenRotations) {
  int checked = 0;
  const auto file = golden::read("rope/rotate.json");
  for (const auto& each : file["cases"]) {
    if (each["config"].contains("rope_scaling")) continue;  // rules: frequencies_test.cpp
    const std::size_t head_dim = each["config"]["head_dim"], rotary_dim = each["rotary_dim"];
    RopeOptions options{.head_dim = head_dim, .rotary_dim = rotary_dim};
    options.pairing = each["pairing"] == "half" ? Pairing::half : Pairing::interleaved;
    options.frequencies = frequencies::Default{.base = each["config"].value("rope_theta", 10000.0)};
    const Rope rope(options);
    const auto positions = each["positions"].get<std::vector<double>>();
    const auto x = each["x"].get<std::vector<float>>();
    const auto expected = each["y"].get<std::vector<double>>();
    std::vector<float> y(x.size());
    const Placement placement{.batch = each["shape"][0],
                              .sequence = each["shape"][1],
                              .heads = each["shape"][2],
                              .positions = positions};
    rope.rotate(x, y, placement);
    EXPECT_LE(pair_error(y, expected, head_dim, rotary_dim, options.pairing), 0x1p-22) << each["name"];
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i % head_dim >= rotary_dim) {
        EXPECT_EQ(y[i], x[i]) << each["name"] << " passes channel " << i % head_dim;
      }
    }
    // unrotate undoes it
    std::vector<float> back(x.size());
    rope.unrotate(y, back, placement);
    EXPECT_LE(pair_error(back, {x.begin(), x.end()}, head_dim, rotary_dim, options.pairing), 0x1p-21);
    ++checked;
  }
  EXPECT_EQ(checked, 8);
}

TEST_P(RopeOn, AgreesWithTheReferenceForEveryTail) {
  TestData sample(1);
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    for (std::size_t rotary_dim = 2; rotary_dim <= 72; rotary_dim += 2) {
      for (std::size_t heads : {1, 2, 3, 5}) {
        const std::size_t offset = rotary_dim % 3, head_dim = rotary_dim + offset + rotary_dim % 5;
        const Rope rope({.head_dim = head_dim,
                         .rotary_dim = rotary_dim,
                         .rotary_offset = offset,
                         .pairing = pairing,
                         .frequencies = frequencies::Default{.base = 500}});
        const auto x = sample.floats(2 * 3 * heads * head_dim);
        std::vector<float> y(x.size());
        rope.rotate(x, y, {.batch = 2, .sequence = 3, .heads = heads, .positions = 1000});
        for (std::size_t head = 0; head < 6 * heads; ++head) {
          const double m = 1000 + static_cast<double>(head / heads % 3);
          std::vector<double> expected(rotary_dim);
          reference::rotate_head(&x[head * head_dim + offset], expected.data(), m, rope.frequencies().data(),
                                 1, rotary_dim / 2, pairing);
          const float* got = &y[head * head_dim];
          const std::vector<float> window(got + offset, got + offset + rotary_dim);
          ASSERT_LE(pair_error(window, expected, rotary_dim, rotary_dim, pairing), 0x1p-22)
              << "rotary_dim " << rotary_dim << " heads " << heads;
          for (std::size_t i = 0; i < head_dim; ++i) {
            if (i < offset || i >= offset + rotary_dim) {
              ASSERT_EQ(got[i], x[head * head_dim + i]);
            }
          }
        }
      }
    }
  }
}

TEST_P(RopeOn, GivesTheSameBitsInPlaceInEveryLayoutAndInOneCallForQAndK) {
  TestData sample(2);
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const std::size_t B = 2, S = 7, H = 3, D = 22;
    const Rope rope({.head_dim = D, .rotary_dim = 18, .pairing = pairing});
    const auto x = sample.floats(B * S * H * D);
    std::vector<float> y(x.size());
    rope.rotate(x, y, {.batch = B, .sequence = S, .heads = H, .positions = -3.0});

    auto in_place = x;
    rope.rotate(in_place, in_place, {.batch = B, .sequence = S, .heads = H, .positions = -3.0});
    EXPECT_EQ(in_place, y);

    std::vector<double> positions;
    for (std::size_t i = 0; i < B * S; ++i) positions.push_back(static_cast<double>(i % S) - 3);
    std::vector<float> listed(x.size());
    rope.rotate(x, listed, {.batch = B, .sequence = S, .heads = H, .positions = positions});
    EXPECT_EQ(listed, y);

    const auto transpose = [&](const std::vector<float>& from, bool back) {
      std::vector<float> to(from.size());
      for (std::size_t b = 0; b < B; ++b)
        for (std::size_t s = 0; s < S; ++s)
          for (std::size_t h = 0; h < H; ++h)
            for (std::size_t i = 0; i < D; ++i) {
              const std::size_t bshd = ((b * S + s) * H + h) * D + i, bhsd = ((b * H + h) * S + s) * D + i;
              back ? to[bshd] = from[bhsd] : to[bhsd] = from[bshd];
            }
      return to;
    };
    auto heads_first = transpose(x, false);
    rope.rotate(heads_first, heads_first,
                {.batch = B, .sequence = S, .heads = H, .layout = Layout::bhsd, .positions = -3.0});
    EXPECT_EQ(transpose(heads_first, true), y);

    auto strided = x;
    const Strides strides{.batch = S * H * D, .sequence = H * D, .head = D};
    rope.rotate(strided, strided,
                {.batch = B, .sequence = S, .heads = H, .strides = strides, .positions = -3.0});
    EXPECT_EQ(strided, y);

    const auto k = sample.floats(B * S * 1 * D);
    std::vector<float> k_alone(k.size()), q_out(x.size()), k_out(k.size());
    rope.rotate(k, k_alone, {.batch = B, .sequence = S, .heads = 1, .positions = -3.0});
    rope.rotate_qk(x, q_out, k, k_out, {.batch = B, .sequence = S, .heads = H, .positions = -3.0}, 1);
    EXPECT_EQ(q_out, y);
    EXPECT_EQ(k_out, k_alone);
  }
}

TEST_P(RopeOn, DoesNotDependOnHowASequenceIsCut) {
  TestData sample(3);
  const std::size_t S = 20000, D = 64;  // more rows than one table holds
  const Rope rope({.head_dim = D});
  const auto x = sample.floats(S * D);
  std::vector<float> whole(x.size());
  rope.rotate(x, whole, {.sequence = S, .heads = 1, .positions = 12345});
  for (std::size_t s : {0u, 1u, 63u, 64u, 8191u, 16384u, 19999u}) {
    std::vector<float> token(x.begin() + static_cast<std::ptrdiff_t>(s * D),
                             x.begin() + static_cast<std::ptrdiff_t>((s + 1) * D));
    rope.rotate(token, token, {.sequence = 1, .heads = 1, .positions = 12345 + static_cast<double>(s)});
    EXPECT_EQ(std::memcmp(token.data(), &whole[s * D], D * sizeof(float)), 0) << "token " << s;
  }
}

TEST_P(RopeOn, DoesNotDependOnHowManyHeadsShareATable) {
  TestData sample(12);
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    // Whole slices of a kernel, single batches and remainders of them, with and without channels that pass.
    for (const auto& [head_dim, rotary_dim] :
         {std::pair{2u, 2u}, {64u, 64u}, {70u, 66u}, {128u, 128u}, {200u, 190u}}) {
      const Rope rope({.head_dim = head_dim,
                       .rotary_dim = rotary_dim,
                       .rotary_offset = head_dim - rotary_dim,
                       .pairing = pairing});
      for (std::size_t heads = 1; heads <= 6; ++heads) {
        const auto x = sample.floats(2 * heads * head_dim);
        std::vector<float> together(x.size()), alone = x;
        rope.rotate(x, together, {.sequence = 2, .heads = heads, .positions = 7});
        for (std::size_t i = 0; i < 2 * heads; ++i) {
          float* head = alone.data() + i * head_dim;
          rope.rotate({head, head_dim, DType::float32}, {head, head_dim, DType::float32},
                      {.sequence = 1, .heads = 1, .positions = 7 + static_cast<double>(i / heads)});
        }
        EXPECT_EQ(together, alone) << heads << " heads of " << head_dim;
        auto in_place = x;
        rope.rotate(in_place, in_place, {.sequence = 2, .heads = heads, .positions = 7});
        EXPECT_EQ(in_place, alone) << heads << " heads of " << head_dim << " in place";
      }
    }
  }
}

TEST_P(RopeOn, DoesNotDependOnWhetherTheArrayFitsInACache) {
  TestData sample(13);
  const std::size_t S = 1100, H = 32, D = 128;  // 18 MB: from 16 MB on heads are taken in order
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const Rope rope({.head_dim = D, .pairing = pairing});
    const auto x = sample.floats(H * D);
    std::vector<float> whole;
    for (std::size_t s = 0; s < S; ++s) whole.insert(whole.end(), x.begin(), x.end());
    rope.rotate(whole, whole, {.sequence = S, .heads = H, .positions = 5});
    for (std::size_t s : {std::size_t{0}, std::size_t{1}, S / 2, S - 1}) {
      auto token = x;
      rope.rotate(token, token, {.sequence = 1, .heads = H, .positions = 5 + static_cast<double>(s)});
      EXPECT_EQ(std::memcmp(token.data(), &whole[s * H * D], H * D * sizeof(float)), 0) << "token " << s;
    }
  }
}

TEST_P(RopeOn, ScoresDependOnDistanceAloneAtAnyPosition) {
  TestData sample(4);
  const std::size_t D = 64;
  const Rope rope({.head_dim = D});
  const auto q = sample.floats(D), k = sample.floats(D);
  const auto score = [&](double m, double n) {
    std::vector<float> qm(D), kn(D);
    rope.rotate(q, qm, {.sequence = 1, .heads = 1, .positions = m});
    rope.rotate(k, kn, {.sequence = 1, .heads = 1, .positions = n});
    double sum = 0;
    for (std::size_t i = 0; i < D; ++i) sum += static_cast<double>(qm[i]) * kn[i];
    return sum;
  };
  for (double distance : {0.0, 1.0, 17.0, 1000.0, -5.0}) {
    for (double n : {1.0, 1e4, 1e6, 1e8, -1e8, 2147483000.0}) {
      EXPECT_NEAR(score(n + distance, n), score(distance, 0), 2e-5) << "at " << n;
    }
  }
}

TEST_P(RopeOn, KeepsNaNAndInfinityInTheirOwnPair) {
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const std::size_t D = 32;
    const Rope rope({.head_dim = D, .pairing = pairing});
    std::vector<float> x(D, 1.0f);
    const std::size_t a = reference::first_channel(pairing, 16, 5),
                      b = reference::second_channel(pairing, 16, 5);
    const std::size_t c = reference::first_channel(pairing, 16, 9),
                      d = reference::second_channel(pairing, 16, 9);
    x[a] = std::numeric_limits<float>::quiet_NaN();
    x[d] = std::numeric_limits<float>::infinity();
    rope.rotate(x, x, {.sequence = 1, .heads = 1, .positions = 3});
    for (std::size_t i = 0; i < D; ++i) {
      EXPECT_EQ(std::isfinite(x[i]), i != a && i != b && i != c && i != d) << "channel " << i;
    }
  }
}

TEST_P(RopeOn, RotatesEachHeadByFrequenciesOfItsOwn) {
  TestData sample(5);
  const std::size_t S = 5, H = 3, D = 12, pairs = D / 2;
  frequencies::Custom rule{.frequencies = {}, .magnitude = 1.5};
  for (std::size_t i = 0; i < H * pairs; ++i) rule.frequencies.push_back(0.3 * static_cast<double>(i) - 2);
  const Rope rope({.head_dim = D, .frequencies = rule});
  const auto x = sample.floats(S * H * D);
  for (Layout layout : {Layout::bshd, Layout::bhsd}) {
    std::vector<float> y(x.size());
    rope.rotate(x, y, {.sequence = S, .heads = H, .layout = layout, .positions = 40});
    for (std::size_t s = 0; s < S; ++s) {
      for (std::size_t h = 0; h < H; ++h) {
        const std::size_t at = (layout == Layout::bshd ? s * H + h : h * S + s) * D;
        std::vector<double> expected(D);
        reference::rotate_head(&x[at], expected.data(), 40 + static_cast<double>(s),
                               &rule.frequencies[h * pairs], 1.5, pairs, Pairing::interleaved);
        const std::vector<float> got(y.begin() + static_cast<std::ptrdiff_t>(at),
                                     y.begin() + static_cast<std::ptrdiff_t>(at + D));
        EXPECT_LE(pair_error(got, expected, D, D, Pairing::interleaved), 0x1p-22);
      }
    }
  }
}

/// Bits of float32 between two numbers of one sign.
std::int64_t ulps(float a, float b) {
  std::int32_t i, j;
  std::memcpy(&i, &a, 4);
  std::memcpy(&j, &b, 4);
  return std::abs(static_cast<std::int64_t>(i) - j);
}

TEST_P(RopeOn, TablesAreCorrectToOneUlpUpToTwoToThe31) {
  // Frequencies of 32 bits, so that the 64 bits of long double hold m * theta exactly and cosl is an
  // authority.
  frequencies::Custom rule;
  for (int i = 0; i < 12; ++i)
    rule.frequencies.push_back(std::ldexp(std::floor(std::ldexp(std::pow(0.37, i), 31)), -31));
  const Rope rope({.head_dim = 24, .frequencies = rule});
  // The numerators of pi's convergents, where sin m is nearly 0, and quarter turns away from them.
  std::vector<double> positions = {0,          1,          2,        3,         22,         355,
                                   103993,     104348,     208341,   312689,    833719,     1146408,
                                   4272943,    5419351,    80143857, 165707065, 245850922,  411557987,
                                   1068966896, 2147483647, -1,       -355,      -411557987, -2147483648.0,
                                   11,         33,         0.5,      -0.25,     1234.5625,  1e9 + 0.5};
  for (int i = 0; i < 2000; ++i) positions.push_back(std::floor(std::pow(2.0, 31) * std::sin(i * 1.7)));
  const std::size_t width = rule.frequencies.size();
  std::vector<float> cos(positions.size() * width), sin(cos.size());
  rope.table(positions, cos, sin);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const long double phi = static_cast<long double>(positions[i]) * rule.frequencies[j];
      ASSERT_LE(ulps(cos[i * width + j], static_cast<float>(std::cos(phi))), 1)
          << positions[i] << " pair " << j;
      ASSERT_LE(ulps(sin[i * width + j], static_cast<float>(std::sin(phi))), 1)
          << positions[i] << " pair " << j;
    }
  }
}

TEST_P(RopeOn, Float32AnglesAreThoseOfFloat32Arithmetic) {
  const std::size_t D = 128;
  const Rope rope({.head_dim = D, .angles = Angles::float32});
  const std::vector<double> positions = {0, 1, 100, 4096, 131072};
  std::vector<float> cos(positions.size() * D / 2), sin(cos.size());
  rope.table(positions, cos, sin);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < D / 2; ++j) {
      const float exponent = static_cast<float>(2 * j) / 128.0f;
      const float theta = 1.0f / static_cast<float>(std::pow(10000.0, exponent));
      const float angle = static_cast<float>(positions[i]) * theta;
      ASSERT_LE(ulps(cos[i * D / 2 + j], static_cast<float>(std::cos(static_cast<double>(angle)))), 1);
      ASSERT_LE(ulps(sin[i * D / 2 + j], static_cast<float>(std::sin(static_cast<double>(angle)))), 1);
    }
  }
}

TEST(Rope, HasTwoClassesOfBits) {
  // Fused multiply-add or not is all that tells architectures apart.
  TestData sample(6);
  const auto x = sample.floats(9 * 5 * 70);
  std::vector<std::vector<float>> fused, unfused;
  const std::string before(architecture());
  for (std::string_view name : architectures()) {
    use_architecture(name);
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      std::vector<float> y(x.size());
      Rope({.head_dim = 70, .pairing = pairing}).rotate(x, y, {.sequence = 9, .heads = 5, .positions = 7e5});
      (arch::active()->fused ? fused : unfused).push_back(y);
    }
  }
  use_architecture(before);
  for (const auto& list : {fused, unfused}) {
    for (std::size_t i = 2; i < list.size(); ++i) EXPECT_EQ(list[i], list[i % 2]);
  }
}

#if GTEST_HAS_DEATH_TEST && !defined(__EMSCRIPTEN__)
TEST(Rope, AnArchitectureThatTheEnvironmentNamesExists) {
  // The name is read once, so it takes a process of its own.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto rotate = [] {
    setenv("ROPEWALK_ARCH", "avx1024", 1);
    (void)architecture();
  };
  EXPECT_DEATH(rotate(), "ROPEWALK_ARCH is \"avx1024\"; allowed: ");
}
#endif

TEST(Rope, TheUnfusedBitsAreTheseOnEveryMachine) {
  const std::string before(architecture());
  for (std::string_view name : {"sse2", "wasm"}) {
    if (!try_use_architecture(name).ok()) continue;
    std::uint64_t hash = 1469598103934665603u;  // FNV-1a
    TestData sample(7);
    for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
      auto x = sample.floats(33 * 3 * 40);
      Rope({.head_dim = 40, .rotary_dim = 38, .pairing = pairing})
          .rotate(x, x, {.sequence = 33, .heads = 3, .positions = 123456});
      for (float value : x) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, 4);
        hash = (hash ^ bits) * 1099511628211u;
      }
    }
    EXPECT_EQ(hash, 2446116072748491710u) << name;
  }
  use_architecture(before);
}

}  // namespace rope_test
}  // namespace ropewalk
