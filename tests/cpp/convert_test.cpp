// Pairings of weights and samples: by the property that makes them useful, and the errors.

#include "ropewalk/convert.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "test_data.hpp"

namespace ropewalk {
namespace convert_test {

constexpr Pairing interleaved = Pairing::interleaved, half = Pairing::half;

std::vector<float> convert(const std::vector<float>& weight, const PairingConversion& conversion) {
  std::vector<float> out(weight.size());
  convert_pairing(weight, out, conversion);
  return out;
}

/// y = W x, (rows), in float32 sums of one order.
std::vector<float> project(const std::vector<float>& weight, const std::vector<float>& x) {
  std::vector<float> y(weight.size() / x.size());
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t i = 0; i < x.size(); ++i) y[row] += weight[row * x.size() + i] * x[i];
  }
  return y;
}

TEST(ConvertPairing, MovesTheRowsThatTurn) {
  // Two heads of 8 rows, 4 of which turn, from row 2 on.
  const std::vector<float> bias{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17};
  PairingConversion conversion{.from = half, .to = interleaved, .heads = 2, .head_dim = 8, .rotary_dim = 4};
  conversion.rotary_offset = 2;
  const std::vector<float> expected{0, 1, 2, 4, 3, 5, 6, 7, 10, 11, 12, 14, 13, 15, 16, 17};
  EXPECT_EQ(convert(bias, conversion), expected);
  conversion.rotary_dim.reset();
  EXPECT_EQ(convert(bias, conversion),
            (std::vector<float>{0, 1, 2, 5, 3, 6, 4, 7, 10, 11, 12, 15, 13, 16, 14, 17}));
}

TEST(ConvertPairing, CommutesWithRotation) {
  TestData sample(1);
  const std::size_t columns = 5;
  for (const Pairing from : {interleaved, half}) {
    const Pairing to = from == half ? interleaved : half;
    for (std::size_t rotary_dim = 2; rotary_dim <= 34; rotary_dim += 4) {
      for (const std::size_t heads : {1, 2, 3}) {  // queries, and the fewer heads of keys
        const std::size_t offset = rotary_dim % 3, head_dim = rotary_dim + offset + rotary_dim % 5;
        const PairingConversion conversion{.from = from,
                                           .to = to,
                                           .heads = heads,
                                           .head_dim = head_dim,
                                           .rotary_dim = rotary_dim,
                                           .rotary_offset = offset,
                                           .columns = columns};
        const auto weight = sample.floats(heads * head_dim * columns), x = sample.floats(columns);
        RopeOptions options{
            .head_dim = head_dim, .rotary_dim = rotary_dim, .rotary_offset = offset, .pairing = from};
        const Rope old_rope(options);
        options.pairing = to;
        const Rope new_rope(options);
        const Placement placement{.sequence = 1, .heads = heads, .positions = 17};

        std::vector<float> old_way = project(weight, x), new_way = project(convert(weight, conversion), x);
        old_rope.rotate(old_way, old_way, placement);
        new_rope.rotate(new_way, new_way, placement);
        PairingConversion channels = conversion;
        channels.columns = 1;
        // The same scores, so the same up to the order of channels.
        EXPECT_EQ(new_way, convert(old_way, channels)) << rotary_dim << " " << heads;
      }
    }
  }
}

TEST(ConvertPairing, GoesThereAndBackToTheSameBits) {
  TestData sample(2);
  const auto weight = sample.floats(3 * 10 * 7);
  const PairingConversion there{.from = half, .to = interleaved, .heads = 3, .head_dim = 10, .rotary_dim = 8};
  PairingConversion back = there;
  std::swap(back.from, back.to);
  const auto converted = convert(weight, there);
  EXPECT_NE(converted, weight);
  EXPECT_EQ(convert(converted, back), weight);
  PairingConversion none = there;
  none.to = none.from;
  EXPECT_EQ(convert(weight, none), weight);

  auto in_place = weight;
  convert_pairing(in_place, in_place, there);
  EXPECT_EQ(in_place, converted);

  std::vector<std::uint16_t> bits(weight.size()), out(weight.size());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  convert_pairing(ArrayRef::bfloat16(bits), MutableArrayRef::bfloat16(out), there);
  EXPECT_EQ(out[7], bits[4 * 7]);  // row 1 was row 4
}

TEST(ConvertPairing, RefusesWhatDoesNotAgreeAndWritesNothing) {
  std::vector<float> weight(48, 1), out(48, 5);
  const auto message = [&](PairingConversion conversion) {
    return try_convert_pairing(weight, out, conversion).message();
  };
  EXPECT_EQ(message({.heads = 0, .head_dim = 8}),
            "convert_pairing: `heads` is 0; allowed: a whole number of at least 1");
  EXPECT_EQ(message({.heads = 2, .head_dim = 0}),
            "convert_pairing: `head_dim` is 0; allowed: a whole number of at least 1");
  EXPECT_EQ(
      message({.heads = 2, .head_dim = 8, .rotary_dim = 3}),
      "convert_pairing: `rotary_dim` is 3; allowed: an even number from 2 to head_dim - rotary_offset = 8");
  EXPECT_EQ(
      message({.heads = 2, .head_dim = 8, .rotary_dim = 8, .rotary_offset = 1}),
      "convert_pairing: `rotary_dim` is 8; allowed: an even number from 2 to head_dim - rotary_offset = 7");
  EXPECT_EQ(message({.heads = 2, .head_dim = 8, .rotary_offset = 8}),
            "convert_pairing: `rotary_offset` is 8; allowed: a whole number below head_dim = 8");
  EXPECT_EQ(message({.heads = 5, .head_dim = 8}),
            "convert_pairing: `weight` is an array of 48 elements; allowed: heads * head_dim * columns = 5 * "
            "8 * a whole "
            "number elements");
  EXPECT_EQ(
      message({.heads = 2, .head_dim = 8, .columns = 4}),
      "convert_pairing: `weight` is an array of 48 elements; allowed: heads * head_dim * columns = 2 * 8 * 4 "
      "elements");
  EXPECT_FALSE(try_convert_pairing(weight, out, {.heads = ~std::size_t{0}, .head_dim = 64}).ok());
  const PairingConversion good{.heads = 2, .head_dim = 8};
  EXPECT_EQ(try_convert_pairing(weight, std::span(out).first(16), good).message(),
            "convert_pairing: `out` is an array of 16 elements; allowed: 48 elements, as `weight` has");
  std::vector<float> both(64);
  EXPECT_EQ(try_convert_pairing(std::span<const float>(both).first(48), std::span(both).subspan(16), good)
                .message(),
            "convert_pairing: `out` is partly in the memory of `weight`; allowed: the same array, or one "
            "apart from it");
  std::vector<std::uint16_t> other(48);
  EXPECT_EQ(try_convert_pairing(weight, MutableArrayRef::float16(other), good).code(), Status::Code::type);
  EXPECT_EQ(out, std::vector<float>(48, 5));
  EXPECT_THROW(convert_pairing(weight, out, {.heads = 0, .head_dim = 8}), std::invalid_argument);
}

TEST(DetectPairing, TellsWhichOneRotated) {
  TestData sample(3);
  const Placement placement{.batch = 2, .sequence = 5, .heads = 3, .layout = Layout::bhsd, .positions = 4};
  for (const Pairing pairing : {interleaved, half}) {
    for (const std::size_t rotary_dim : {4, 16, 64}) {
      RopeOptions options{
          .head_dim = rotary_dim + 3, .rotary_dim = rotary_dim, .rotary_offset = 2, .pairing = pairing};
      options.frequencies = frequencies::Yarn{.factor = 4, .original_max_positions = 64};
      const Rope rope(options);
      const auto x = sample.floats(30 * options.head_dim);
      std::vector<float> rotated(x.size());
      rope.rotate(x, rotated, placement);
      options.pairing = interleaved;  // what is asked does not depend on it
      EXPECT_EQ(detect_pairing(x, rotated, options, placement), pairing);
      // Roundings to bfloat16 on the way.
      for (float& each : rotated)
        each = std::bit_cast<float>(std::bit_cast<std::uint32_t>(each) & 0xffff0000u);
      EXPECT_EQ(detect_pairing(x, rotated, options, placement), pairing);
      // A channel that should have passed.
      auto touched = rotated;
      touched[0] += 5;
      EXPECT_EQ(detect_pairing(x, touched, options, placement), std::nullopt);
      // Other positions, other data.
      EXPECT_EQ(detect_pairing(x, rotated, options, {.batch = 2, .sequence = 5, .heads = 3, .positions = 4}),
                std::nullopt);
      EXPECT_EQ(detect_pairing(x, sample.floats(x.size()), options, placement), std::nullopt);
      rotated[7] = std::nanf("");
      EXPECT_EQ(detect_pairing(x, rotated, options, placement), std::nullopt);
    }
  }
}

TEST(DetectPairing, TellsAlsoBySmallAngles) {
  TestData sample(4);
  const std::vector<double> positions{0.005};
  const Placement placement{.sequence = 1, .heads = 4, .positions = positions};
  for (const Pairing pairing : {interleaved, half}) {
    const RopeOptions options{.head_dim = 32, .pairing = pairing};
    const auto x = sample.floats(4 * 32);
    std::vector<float> rotated(x.size());
    Rope(options).rotate(x, rotated, placement);
    EXPECT_EQ(detect_pairing(x, rotated, options, placement), pairing);
  }
}

TEST(DetectPairing, RefusesASampleThatSaysNothing) {
  TestData sample(5);
  const auto x = sample.floats(32);
  const auto message = [](const auto& result) { return result.status().message(); };
  // One pair has one order; position 0 turns nothing; nothing looks the same however it is turned.
  const auto refused = [&](const std::vector<float>& from, std::size_t rotary_dim, double position) {
    const RopeOptions options{.head_dim = 32, .rotary_dim = rotary_dim};
    const Placement placement{.sequence = 1, .heads = 1, .positions = position};
    std::vector<float> rotated(32);
    Rope(options).rotate(from, rotated, placement);
    return message(try_detect_pairing(from, rotated, options, placement));
  };
  const std::string expected =
      "detect_pairing: `x` is a sample that both pairings rotate alike, to within 0 of its size; allowed: "
      "one that "
      "tells them apart: rotary_dim of at least 4, positions other than 0, channels other than 0";
  EXPECT_EQ(refused(x, 2, 3), expected);
  EXPECT_EQ(refused(x, 32, 0), expected);
  EXPECT_EQ(refused(std::vector<float>(32), 32, 3), expected);

  const RopeOptions options{.head_dim = 32};
  EXPECT_EQ(message(try_detect_pairing(x, std::vector<float>(16), options, {.sequence = 1, .heads = 1})),
            "detect_pairing: `rotated` is an array of 16 elements; allowed: 32 elements, as `x` has");
  EXPECT_EQ(message(try_detect_pairing(x, x, options, {.sequence = 2, .heads = 1})).substr(0, 57),
            "detect_pairing: `x` is an array of 32 elements; allowed: ");
  const std::vector<double> nan{std::nan("")};
  EXPECT_EQ(
      message(try_detect_pairing(x, x, options, {.sequence = 1, .heads = 1, .positions = nan})).substr(0, 43),
      "detect_pairing: `positions[0]` is NaN; allo");
}

}  // namespace convert_test
}  // namespace ropewalk
